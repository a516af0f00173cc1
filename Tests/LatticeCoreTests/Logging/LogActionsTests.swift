import LatticeCore
import LatticeTesting
import Testing

private struct Opaque: Sendable {
    var value = 0
}

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct LogActionsTests {
    private let lines = Shared<[String]>([])

    private var sink: @Sendable (ActionLogEntry<ChildAction>) -> Void {
        { [lines] entry in lines.update { $0.append("\(entry)") } }
    }

    @Test("Each action is logged with its duration and its result (W40)")
    func entries() async {
        let interactor = ChildInteractor().logActions(clock: TestClock(), to: sink)
        let runtime = makeRuntime(Child(), of: interactor)
        runtime.send(.increment)
        runtime.send(.echo(1))
        #expect(await runtime.send(.load(2)).finish() == .finished)
        #expect(runtime.state == Child(value: 1, log: [1, 2]))
        #expect(
            lines.value == [
                "ChildInteractor: increment in 0.0 seconds, state changed",
                "ChildInteractor: echo(1) in 0.0 seconds, state unchanged",
                "ChildInteractor: echoed(1) in 0.0 seconds, state changed",
                "ChildInteractor: load(2) in 0.0 seconds, state unchanged, with effects",
                "ChildInteractor: echoed(2) in 0.0 seconds, state changed",
            ]
        )
    }

    @Test func theDurationIsThatOfHandling() {
        /// Shows a later time each time it is asked.
        struct Ticking: Clock {
            struct Instant: InstantProtocol {
                var offset: Duration
                func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
                func duration(to other: Instant) -> Duration { other.offset - offset }
                static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
            }
            let ticks = Shared(0)
            var now: Instant {
                ticks.increment()
                return Instant(offset: .seconds(ticks.value))
            }
            var minimumResolution: Duration { .seconds(1) }
            func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
        }
        var state = Child()
        _ = ChildInteractor().logActions("counter", clock: Ticking(), to: sink)
            .interact(state: &state, action: .increment)
        #expect(lines.value == ["counter: increment in 1.0 seconds, state changed"])
    }

    @Test func aStateThatCannotBeComparedIsNotSpokenOf() {
        let interactor = Interact<Opaque, ChildAction> { state, _ in
            state.value += 1
            return .none
        }
        .logActions("opaque", clock: TestClock(), to: sink)
        var state = Opaque()
        _ = interactor._resolve().interact(state: &state, action: .increment)
        #expect(lines.value == ["opaque: increment in 0.0 seconds"])
        #expect(state.value == 1)
    }

    @Test func aLogCoversOnlyTheInteractorsBeforeIt() {
        let runtime = makeRuntime(
            Root(),
            of: EmptyInteractor<Root, RootAction>()
                .when(state: \.count, action: \.count) {
                    ChildInteractor().logActions("child", clock: TestClock(), to: sink)
                }
                .when(state: \.other, action: \.other) { ChildInteractor() }
        )
        runtime.send(.count(.increment))
        runtime.send(.other(.increment))
        #expect(runtime.state == Root(count: Child(value: 1), other: Child(value: 1)))
        #expect(lines.value == ["child: increment in 0.0 seconds, state changed"])
    }

    @Test("Leaving a case also ends effects of children below a log (W24)")
    func scopes() async {
        let started = Gate()
        let cancelled = Gate()
        let runtime = makeRuntime(
            Root(sheet: Child()),
            of: Interact<Root, RootAction> { state, action in
                if case .note = action { state.sheet = nil }
                return .none
            }
            .ifLet(state: \.sheet, action: \.sheet) { ChildInteractor() }
            .logActions(to: { _ in })
        )
        let task = runtime.send(.sheet(.wait(started, cancelled)))
        await started.wait()
        runtime.send(.note("close"))
        #expect(await task.finish() == .cancelled)
        await cancelled.wait()
    }
}
