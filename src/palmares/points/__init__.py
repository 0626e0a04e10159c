"""Facts and a regulation to awards: rankings, history and why."""
