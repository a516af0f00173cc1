import LatticeControl

func showLargestWorkers(of path: String) async throws {
    try await withControlClient(connectingTo: path) { control in
        let workers = try await control.describe("workers", sortedBy: "residentBytes", limit: 3)
        for worker in workers.rows {
            print(worker["worker"]?.string ?? "?", worker["residentBytes"]?.int ?? 0)
        }
    }
}

func followQueues(of path: String) async throws {
    try await withControlClient(connectingTo: path) { control in
        let pages = control.descriptions(of: "instances", sortedBy: "waiting", limit: 10, every: .seconds(1))
        for try await page in pages {
            print(page.rows.map { "\($0["instance"]?.string ?? ""): \($0["waiting"]?.int ?? 0)" })
        }
    }
}

func addTodo(at path: String) async throws {
    try await withUntypedFeature("todos", connectingTo: path) { todos in
        let action = try DescriptionValue(json: #"{"add":{"title":"Milk"}}"#)
        let result = try await todos.send(action, waitingAtMost: .seconds(10))
        print(result?.kind.description ?? "running", try todos.state.value.json)
    }
}

func restartUploads(of path: String) async throws {
    try await withControlClient(connectingTo: path) { control in
        let result = try await control.operate("restart", ["target": "uploads"])
        print(result.message)
    }
}
