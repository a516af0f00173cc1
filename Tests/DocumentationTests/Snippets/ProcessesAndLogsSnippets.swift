import LatticeCoordinator
import LatticeCore

/// The blocks of ProcessesAndLogs.md.
struct ProcessesAndLogsSnippets {
    func verbose() -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.workerBacktraces = .full
        configuration.backtraceTimeout = .seconds(30)
        return configuration
    }

    func observed(_ deaths: Counts, _ alarms: Counts) -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        let observer = RuntimeObserver(of: [.workerTerminated, .workerGivenUp]) { event in
            switch event {
            case .workerTerminated(let end): deaths.add(end.worker.member.group, "\(end.cause)")
            case .workerGivenUp(let member, let failure, isExpected: false): alarms.add(member.group, failure.reason)
            default: break
            }
        }
        configuration.observers.append(observer)
        return configuration
    }

    func passedOn() -> (CoordinatorConfiguration, AsyncStream<RuntimeEvent>) {
        var configuration = CoordinatorConfiguration()
        let (events, continuation) = AsyncStream<RuntimeEvent>.makeStream(bufferingPolicy: .bufferingNewest(1_000))
        configuration.observers.append(RuntimeObserver(of: .workers.union(.groups)) { continuation.yield($0) })
        return (configuration, events)
    }

    func printed() -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.observers.append(RuntimeObserver(of: .workers) { event in print(event) })
        return configuration
    }

    /// A metric of a program.
    struct Counts: Sendable {
        func add(_ name: String, _ cause: String) {}
    }
}
