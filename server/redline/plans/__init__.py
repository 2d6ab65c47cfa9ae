"""Plans: changes over several files, cut into steps with contracts."""
