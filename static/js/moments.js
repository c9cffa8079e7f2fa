// Times come in UTC, because a server does not know where its reader is. The browser does.

const written = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "long", timeStyle: "short" });
tell();
document.addEventListener("portal:changed", tell);

function tell() {
  for (const time of document.querySelectorAll("time[data-moment]")) {
    time.textContent = written.format(new Date(time.dateTime));
  }
}
