// Placeholder of LatticeTransport.
