"""How simulated models answer our own experiments, a file for each, which `Experiment.simulation` names."""
