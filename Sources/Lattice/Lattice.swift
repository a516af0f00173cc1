// Placeholder of Lattice.
