"""What people look at: terminal, live view, plots and the report page."""
