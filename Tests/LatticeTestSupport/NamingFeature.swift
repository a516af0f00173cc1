package import LatticeCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A feature with named effects. It starts the interrupted ones again after the death of its worker.
package enum NamingFeature: HostedFeature {
    package enum Work: Codable, Sendable, Equatable {
        /// Waits at the gate of this name.
        case wait(gate: String)
        /// Waits at the gate of this name, and sends no action.
        case waitOnly(gate: String)
        /// Ends the process with a signal. Run it in a worker.
        case crash
        /// Ends the process with a Swift trap. Run it in a worker.
        case trap
        /// Runs until it is cancelled.
        case last
    }

    package struct Job: Codable, Sendable, Equatable {
        package var name: String
        package var work: Work
        /// The maximum number of recoveries, or nil if its event fails when the effect is interrupted.
        package var atMost: Int?
    }

    package enum Action: Codable, Sendable {
        case start([Job])
        case ended(String)
        case recover([InterruptedEffect])
        case cancel(String)
        /// Makes the state this many bytes larger.
        case grow(Int)
    }

    package struct DomainState: Codable, Sendable, Equatable {
        package var jobs: [Job] = []
        package var ended: [String] = []
        package var recovered: [[InterruptedEffect]] = []
        package var padding = ""
    }

    package static let identifier = "naming"
    package static func initialDomainState(in context: HostContext) -> DomainState { DomainState() }

    package static func interactor(in context: HostContext) -> Interact<DomainState, Action> {
        Interact { state, action in
            switch action {
            case .start(let jobs):
                state.jobs += jobs
                return .merge(jobs.map(run))
            case .ended(let name):
                state.jobs.removeAll { $0.name == name }
                state.ended.append(name)
            case .recover(let effects):
                state.recovered.append(effects)
                let names = Set(effects.map(\.name))
                return .merge(state.jobs.filter { names.contains($0.name) }.map(run))
            case .cancel(let name):
                return .cancel(id: name)
            case .grow(let bytes):
                state.padding += String(repeating: "x", count: bytes)
            }
            return .none
        }
    }

    private static func run(_ job: Job) -> Emission<Action> {
        let effect: Emission<Action> =
            switch job.work {
            case .wait(let gate):
                .perform {
                    try await Gates.wait(gate)
                    return .ended(job.name)
                }
            case .waitOnly(let gate): .run { _ in try await Gates.wait(gate) }
            case .crash: .perform { abort() }
            case .trap: .perform { fatalError("told to trap") }
            case .last: .run { _ in try await Task.sleep(for: .seconds(86_400)) }
            }
        return effect.named(job.name, whenInterrupted: job.atMost.map { .recover(atMost: $0) } ?? .fail)
            .cancellable(id: job.name)
    }

    package static func recovery(from interruption: Interruption, in state: DomainState) -> Action? {
        .recover(interruption.effects)
    }

    package static func reducer() -> BuildViewState<DomainState, DomainState> {
        BuildViewState(initial: { $0 }) { state, shown in shown = state }
    }
}

extension NamingFeature.Job {
    package init(_ name: String, _ work: NamingFeature.Work, atMost: Int? = nil) {
        self.init(name: name, work: work, atMost: atMost)
    }
}
