// Placeholder of LatticeClient.
