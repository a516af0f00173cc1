import Lattice
import LatticeClient
import LatticeCoordinator
import LatticeTesting
import LatticeWorker
import Testing

/// The blocks of OutOfProcess.md. What starts processes is compiled here, and run by EndToEndTests in its own words.
@MainActor @Suite(.timeLimit(.minutes(3))) struct OutOfProcessTests {
    @Test func theSameFeatureInThisProcess() async {
        let uploads = ViewModel(inProcess: Upload.self)
        await uploads.sendViewEvent(.start(file: "a.txt")).finish()
        #expect(uploads.viewState == ["a.txt"])
        #expect(uploads.hostStatus == .local)
    }

    @Test func whatStaysInTheWorker() async throws {
        var context = HostContext(configuration: Notes.Configuration(maximumResults: 1))
        context[WordsKey.self] = { $0.lowercased().split(separator: " ") }
        let notes = ViewModel(inProcess: Notes.self, in: context)
        for note in ["Buy milk", "milk the cow"] { await notes.sendViewEvent(.add(note)).finish() }
        await notes.sendViewEvent(.find("milk")).finish()
        #expect(notes.viewState == ["Buy milk"])
        let found = try await notes.ask("milk", deadline: .now + .seconds(60))
        #expect(found == ["Buy milk", "milk the cow"])
        #expect(Notes.started(context, in: Notes.DomainState()) == nil)
        #expect(Notes.started(context, in: Notes.DomainState(notes: ["a"])) == .buildIndex)
    }

    func configured() -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.configure(Notes.self) { instance in
            Notes.Configuration(maximumResults: instance == "short" ? 3 : 20)
        }
        return configuration
    }

    func grouped() -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        var uploads = WorkerGroup("uploads", of: Upload.self)
        uploads.executable = "libexec/uploader"
        uploads.environment["UPLOAD_HOST"] = "example.org"
        var notes = WorkerGroup("notes", of: Notes.self)
        notes.workers = .onePerInstance(atMost: 16)
        configuration.groups = [uploads, notes]
        return configuration
    }

    func ordered() -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        var uploads = WorkerGroup("uploads", of: Upload.self)
        uploads.intensity = WorkerGroup.Intensity(restarts: 3, period: .seconds(60))
        var desk = WorkerGroup("desk", of: Notes.self)
        desk.strategy = .oneForAll
        desk.groups = [uploads]
        configuration.groups = [desk]
        return configuration
    }

    func limited() -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.limits.memoryBytes = 1 << 30
        var uploads = WorkerGroup("uploads", of: Upload.self)
        uploads.limits = WorkerLimits(memoryBytes: 256 << 20, openFiles: 128, cpuTime: .seconds(3600))
        configuration.groups = [uploads]
        return configuration
    }

    /// Where the program keeps states, for the snippet.
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

    func draft(in coordinator: Coordinator, from saved: Notes.DomainState) async throws {
        let draft = try await coordinator.viewModel(Notes.self, instance: "draft", initialDomainState: saved)
        await draft.sendViewEvent(.add("milk")).finish()
        coordinator.close(Notes.self, instance: "draft")
    }

    func retry(in coordinator: Coordinator) async {
        for event in coordinator.quarantine.events {
            print(event.event.feature, event.lives, event.cause)
            await coordinator.quarantine.retry(event)?.finish()
        }
    }

    func fair() -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.cancelEffectsOfLostClients(Notes.self)
        return configuration
    }

    func idle() -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.closeWhenIdle(Notes.self, after: .seconds(600))
        return configuration
    }

    func worker() async throws {
        if let worker = Worker.launchedBySupervisor(hosting: Notes.self) {
            var dependencies = HostDependencies()
            dependencies[WordsKey.self] = { $0.lowercased().split(separator: " ") }
            return try await worker.run(dependencies: dependencies)
        }
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

    func program(path: String) async throws {
        if let worker = Worker.launchedBySupervisor(hosting: Upload.self) { return try await worker.run() }

        try await withCoordinator(hosting: Upload.self, listeningAt: path) { coordinator in
            let uploads = try await coordinator.viewModel(Upload.self)
            let outcome = await uploads.sendViewEvent(.start(file: "a.txt")).finish()
            print(outcome, uploads.viewState)
        }
    }

    func client(path: String) async throws {
        try await withClient(connectingTo: path) { client in
            let uploads = try await client.viewModel(Upload.self)
            for await done in uploads.viewStates {
                print(done)
            }
        }
    }

    func watch(_ uploads: ViewModel<Upload>, _ coordinator: Coordinator) async {
        switch uploads.hostStatus {
        case .serving(let serving): print("incarnation \(serving.incarnation)")
        case .unresponsive(let worker): print("does not answer: \(worker.reason)")
        case .restarting(let restart): print("again in \(restart.delay), after it \(restart.cause)")
        case .failed(let failure):
            print(failure.result ?? "failed", failure.reason)
            await coordinator.resetWorker()
        case .local, .connecting, .draining, .other: break
        }
    }

    func policy() -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.restart.intensity = 3
        configuration.restart.period = .seconds(60)
        configuration.heartbeatTimeout = .seconds(5)
        return configuration
    }

    /// An effect that is safe to run twice for the same event.
    func charge(_ cents: Int, for order: String) -> Emission<Upload.Action> {
        return .perform {
            try await Bank.charge(cents, key: EventID.current.map { "\($0)" } ?? order)
            return nil
        }
    }

    func read(_ interruption: Interruption) {
        if let report = interruption.report { print(interruption.cause, report.output.first ?? "", report.effects) }
    }

    /// An effect that a coordinator knows by name.
    func convert(_ file: String) -> Emission<Upload.Action> {
        return .run { send in try await convert(file, send) }
            .named(file, whenInterrupted: .recover(atMost: 2))
    }

    @concurrent private func convert(_ file: String, _ send: Send<Upload.Action>) async throws {
        await send(.ended(file: file))
    }
}

enum Bank {
    static func charge(_ cents: Int, key: String) async throws {}
}
