import Dispatch
import LatticeConcurrency
import LatticeCore
import Testing

/// A value that several threads may change.
final class Shared<Value: Sendable>: Sendable {
    private let storage: Locked<Value>

    init(_ value: Value) {
        storage = Locked(value)
    }

    var value: Value { storage.withLock { $0 } }

    func update(_ change: @Sendable (inout Value) -> Void) {
        storage.withLock { change(&$0) }
    }
}

extension Shared where Value == Int {
    func increment() { update { $0 += 1 } }
}

/// A gate that opens once. A wait before that continues also if its task is cancelled.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    var isOpen: Bool { state.withLock { $0.isOpen } }

    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}

/// Waits until it is cancelled, and then throws as sleeping does. Opens `started` when it waits.
@Sendable func waitForCancellation(started: Gate? = nil) async throws {
    let stream = AsyncStream<Never> { _ in }
    started?.open()
    for await _ in stream {}
    try Task.checkCancellation()
}

struct Failure: Error, CustomStringConvertible {
    let description: String
}

/// An actor that is not the main actor, to run things on.
actor Host {
    func run<T>(_ body: @Sendable (isolated Host) throws -> sending T) rethrows -> sending T {
        try body(self)
    }
}

/// A runtime on the main actor for an interactor made of one closure.
@MainActor
func makeRuntime<State: Equatable & Sendable, Action: Sendable>(
    _ state: State,
    effectStart: EffectStart = .afterTurn,
    _ handler: @escaping @Sendable (inout State, Action) -> Emission<Action>
) -> FeatureRuntime<State, Action> {
    FeatureRuntime(
        initialState: state,
        interactor: Interact(handler: handler),
        isolation: MainActor.shared,
        effectStart: effectStart,
        areStatesEqual: { $0 == $1 }
    )
}

/// Blocks the thread, which an asynchronous function may not do by itself; false if nothing came in time.
func holdThread(until semaphore: DispatchSemaphore) -> Bool {
    semaphore.wait(timeout: .now() + .seconds(60)) == .success
}

extension EventID {
    /// Returns an event ID with an arbitrary sender.
    static func sample(_ number: UInt64) -> EventID {
        EventID(origin: sampleOrigin, number: number)
    }

    private static let sampleOrigin = EventOrigin(sender: .random(), channel: 1, feature: "sample", instance: "")
}
