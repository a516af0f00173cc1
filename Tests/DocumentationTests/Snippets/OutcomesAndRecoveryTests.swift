import Lattice
import LatticeCoordinator
import LatticeTesting
import Testing

/// The blocks of OutcomesAndRecovery.md. Code that starts processes is only compiled here; EndToEndTests run such code.
@MainActor @Suite(.timeLimit(.minutes(10))) struct OutcomesAndRecoveryTests {
    func report(_ uploads: ViewModel<Upload>) async {
        let outcome = await uploads.sendViewEvent(.start(file: "a.txt")).finish()
        switch outcome {
        case .finished: print("done")
        case .failed(let failure): print("an effect failed: \(failure.message)")
        case .cancelled: print("cancelled")
        case .rejected(let rejection): print("never applied: \(rejection.reason)")
        case .interrupted(let interruption): print("applied, then interrupted: \(interruption.cause)")
        case .unknown(let unknown): print("look at the state first: \(unknown.reason)")
        }
    }

    func read(_ interruption: Interruption) {
        if let report = interruption.report { print(interruption.cause, report.output.first ?? "", report.effects) }
    }

    @Test func recovery() async {
        let interruption = Interruption(cause: .signal(9), incarnation: 1)
        let state = Upload.DomainState(running: ["a.txt", "b.txt"])
        #expect(Upload.recovery(from: interruption, in: state) == .startAgain)

        let harness = InteractorTestHarness(initialState: state, interactor: Upload.interactor(in: HostContext()))
        await harness.sendAndAwait(.startAgain)
        #expect(harness.currentState.running.isEmpty)
        #expect(harness.currentState.done.sorted() == ["a.txt", "b.txt"])
    }

    @Test func namedEffectsAreStartedAgain() async {
        let effects = [InterruptedEffect(name: "a.txt", deaths: 1), InterruptedEffect(name: "b.txt", deaths: 1)]
        let interruption = Interruption(cause: .signal(11), incarnation: 1, effects: effects)
        let state = Conversion.DomainState()
        #expect(Conversion.recovery(from: interruption, in: state) == .convertAgain(["a.txt", "b.txt"]))

        let interactor = Conversion.interactor(in: HostContext())
        let harness = InteractorTestHarness(initialState: state, interactor: interactor)
        await harness.sendAndAwait(.convertAgain(["a.txt", "b.txt"]))
        #expect(harness.currentState.converted == ["a.txt", "b.txt"])
    }

    /// An effect that is safe to run twice for the same event.
    func charge(_ cents: Int, for order: String) -> Emission<Upload.Action> {
        return .perform {
            try await Bank.charge(cents, key: EventID.current.map { "\($0)" } ?? order)
            return nil
        }
    }

    /// A place where the program saves states.
    actor Store {
        private(set) var states: [String: Notes.DomainState] = [:]

        func save(_ state: Notes.DomainState, as instance: String) throws { states[instance] = state }
    }

    func restored(from store: Store) -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.observeStates(of: Notes.self, atMostEvery: .seconds(1)) { instance, state in
            try await store.save(state, as: instance)
        }
        configuration.restoring = { coordinator in
            for (instance, state) in await store.states {
                _ = try await coordinator.viewModel(Notes.self, instance: instance, initialDomainState: state)
            }
        }
        return configuration
    }
}

enum Bank {
    static func charge(_ cents: Int, key: String) async throws {}
}
