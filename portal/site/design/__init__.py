"""How pages look: colours, fonts, icons, pictures, assets, and the one place that builds markup."""
