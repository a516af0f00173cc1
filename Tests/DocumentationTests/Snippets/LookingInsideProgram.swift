import LatticeControl

func showLargestWorkers(of path: String) async throws {
    try await withControlClient(connectingTo: path) { control in
        let workers = try await control.describe("workers", sortedBy: "residentBytes", limit: 3)
        for worker in workers.rows {
            print(worker["worker"]?.string ?? "?", worker["residentBytes"]?.int ?? 0)
        }
    }
}
