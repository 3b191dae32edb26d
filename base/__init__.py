"""What every other folder may use: where the repository and its tools are, errors for the user, steps of a tool."""
