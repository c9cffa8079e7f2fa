"""Real servers and programs that tests start, each on a free loopback port, each stopped by its process id."""
