// Placeholder of LatticeSession.
