import ExampleSupport
import LatticeCore

/// Finds the files to count, and hands them on.
struct TreeWalk: Sendable {
    /// How many files are handed on at a time.
    private static let portion = 256

    let request: ScanRequest
    let workload: Workload

    /// Walks to the end, or until the effect is cancelled.
    func run(_ send: Send<TallyAction>) async {
        var files: [[UInt8]] = []
        var failures: [TallyState.Failure] = []
        var found = 0
        var lastTold = ContinuousClock.now
        var search = TreeSearch(root: request.root)
        while let next = search.next() {
            switch next {
            case .file(let file, _): files.append(file)
            case .unreadable(let path, let failure): failures.append(.init(path: path, reason: failure.reason))
            }
            if files.count == Self.portion {
                found += files.count
                guard await handOn(&files) else { return }
            }
            guard lastTold.duration(to: .now) >= .milliseconds(100) else { continue }
            lastTold = .now
            await send(.found(files: found + files.count, unreadable: failures, isComplete: false))
            failures = []
        }
        found += files.count
        guard await handOn(&files) else { return }
        await send(.found(files: found, unreadable: failures, isComplete: true))
        await workload.endWalk()
    }

    /// - Returns: Whether anybody is left to walk for.
    private func handOn(_ files: inout [[UInt8]]) async -> Bool {
        defer { files = [] }
        return (try? await workload.add(files)) != nil
    }
}
