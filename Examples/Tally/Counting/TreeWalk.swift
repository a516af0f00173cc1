import ExampleSupport
import LatticeCore

/// Finds the files to count and adds them to the workload.
struct TreeWalk: Sendable {
    /// The number of files that are added at a time.
    private static let portion = 256

    let request: ScanRequest
    let workload: Workload

    /// Walks to the end, or until the effect is cancelled.
    func run(_ send: Send<TallyAction>) async {
        var files: [[UInt8]] = []
        var failures: [TallyState.Failure] = []
        var found = 0
        var lastReport = ContinuousClock.now
        var search = TreeSearch(root: request.root)
        while let next = search.next() {
            switch next {
            case .file(let file, _): files.append(file)
            case .unreadable(let path, let failure): failures.append(.init(path: path, reason: failure.reason))
            }
            if files.count == Self.portion {
                found += files.count
                guard await add(&files) else { return }
            }
            guard lastReport.duration(to: .now) >= .milliseconds(100) else { continue }
            lastReport = .now
            await send(.found(files: found + files.count, unreadable: failures, isComplete: false))
            failures = []
        }
        found += files.count
        guard await add(&files) else { return }
        await send(.found(files: found, unreadable: failures, isComplete: true))
        await workload.endWalk()
    }

    /// Adds files to the workload.
    ///
    /// - Returns: False if the effect was cancelled.
    private func add(_ files: inout [[UInt8]]) async -> Bool {
        defer { files = [] }
        return (try? await workload.add(files)) != nil
    }
}
