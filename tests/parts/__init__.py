"""Real servers and programs that the tests start themselves, each on a free loopback port, each stopped by its pid."""
