// Placeholder of LatticeWire.
