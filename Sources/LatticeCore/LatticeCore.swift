// Placeholder of LatticeCore.
