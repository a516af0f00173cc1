// Placeholder of LatticeWorker.
