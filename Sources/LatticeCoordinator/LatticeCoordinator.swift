// Placeholder of LatticeCoordinator.
