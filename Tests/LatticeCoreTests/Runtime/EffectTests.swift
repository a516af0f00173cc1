import Dispatch
import Testing

@testable import LatticeCore

private enum Action: Sendable, Equatable {
    case start
    case got(Int)
    case again(Int)
}

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct EffectTests {
    /// Keeps what effects deliver; `start` asks for `emission`.
    private func makeRuntime(_ emission: Emission<Action>) -> FeatureRuntime<[Int], Action> {
        LatticeCoreTests.makeRuntime([]) { state, action in
            switch action {
            case .start: return emission
            case .got(let value):
                state.append(value)
                return .none
            case .again(let value):
                state.append(value)
                return value == 0 ? .none : .perform { .again(value - 1) }
            }
        }
    }

    private func stream(_ values: Int...) -> AsyncStream<Action> {
        AsyncStream { continuation in
            for value in values { continuation.yield(.got(value)) }
            continuation.finish()
        }
    }

    @Test("Every kind of effect delivers its actions (contract 31, W40)")
    func everyKindDelivers() async {
        let elements = stream(1, 2, 3)
        let table: [(String, Emission<Action>, [Int])] = [
            ("none", .none, []),
            ("perform", .perform { .got(1) }, [1]),
            ("perform without result", .perform { nil }, []),
            ("run", .run { send in for value in 1...3 { await send(.got(value)) } }, [1, 2, 3]),
            ("observe", .observe { elements }, [1, 2, 3]),
            ("merge", .merge(.action(.got(1)), .perform { .got(2) }), [1, 2]),
            ("mapped run", Emission<Int>.run { send in await send(4) }.map { .got($0) }, [4]),
            ("tree", .action(.again(3)), [3, 2, 1, 0]),
            ("cancellable", .perform { .got(1) }.cancellable(id: "id"), [1]),
        ]
        for (name, emission, expected) in table {
            let runtime = makeRuntime(emission)
            let outcome = await runtime.send(.start).finish()
            #expect(outcome == .finished, "\(name)")
            #expect(runtime.state == expected, "\(name)")
            #expect(runtime.runningEvents == 0, "\(name)")
            #expect(runtime.turn.groups.isEmpty, "\(name)")
        }
    }

    @Test("The property hasEffects covers the whole tree, and stays true (contracts 29, 42, W2)")
    func hasEffectsCoversTheWholeTree() async {
        let effect = makeRuntime(.perform { nil }).send(.start)
        #expect(effect.hasEffects)
        let indirect = makeRuntime(.action(.again(1))).send(.start)
        #expect(indirect.hasEffects)
        let steps = makeRuntime(.append(.perform { nil }, .perform { nil })).send(.start)
        #expect(steps.hasEffects)
        #expect(!makeRuntime(.append(.action(.got(1)), .action(.got(2)))).send(.start).hasEffects)
        #expect(!makeRuntime(.none).send(.start).hasEffects)
        await effect.finish()
        #expect(effect.hasEffects)
    }

    @Test("Many effects run at once, and nothing is left of them (W13)")
    func manyEffectsAtOnce() async {
        let count = 2_000
        let began = Shared(0)
        let (all, release) = (Gate(), Gate())
        let runtime = makeRuntime(
            .perform {
                began.update { $0 += 1 }
                if began.value == count { all.open() }
                await release.wait()
                return .got(1)
            }
        )
        let tasks = (0..<count).map { _ in runtime.send(.start) }
        await all.wait()
        #expect(runtime.runningEvents == count)
        release.open()
        for task in tasks { #expect(await task.finish() == .finished) }
        #expect(runtime.runningEvents == 0)
        #expect(runtime.state.count == count)
    }

    @Test("Effects start and run off the isolation (contract 44, W14)")
    func effectsRunOffTheIsolation() async {
        let began = DispatchSemaphore(value: 0)
        let runtime = makeRuntime(
            .perform {
                began.signal()
                return nil
            }
        )
        let task = runtime.send(.start)
        // The main actor is held here: an effect that needed it could not begin.
        #expect(holdThread(until: began))
        #expect(await task.finish() == .finished)
    }

    @Test("Sending from an effect delivers an action, and returns when its turn is done (W36)")
    func sendReturnsWhenTheTurnIsDone() async {
        let seen = Shared<[[Int]]>([])
        let box = Shared<FeatureRuntime<[Int], Action>?>(nil)
        let runtime = makeRuntime(
            .run { send in
                for value in 1...2 {
                    await send(.got(value))
                    let state = await MainActor.run { box.value?.state ?? [] }
                    seen.update { $0.append(state) }
                }
            }
        )
        box.update { $0 = runtime }
        await runtime.send(.start).finish()
        box.update { $0 = nil }
        #expect(seen.value == [[1], [1, 2]])
    }

    @Test func sendingAfterTheEndIsReported() async throws {
        let kept = Shared<Send<Action>?>(nil)
        let runtime = makeRuntime(.run { send in kept.update { $0 = send } })
        await runtime.send(.start).finish()
        await withKnownIssue {
            await kept.value?(.got(1))
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("after its effect had ended, and is dropped: got(1)") }
        }
        #expect(runtime.state == [])
    }

    @Test func uncaughtErrorFailsTheEventAndIsReported() async {
        let runtime = makeRuntime(.merge(.perform { throw Failure(description: "no net") }, .perform { .got(1) }))
        await withKnownIssue {
            let outcome = await runtime.send(.start).finish()
            #expect(outcome == .failed(EffectFailure(type: "Failure", message: "no net")))
        } matching: { issue in
            issue.comments.contains {
                $0.rawValue.contains(
                    """
                    An effect threw an error that nothing caught: Failure: no net. \
                    Handle it in the effect, or use .perform(_:catch:) to turn it into an action.
                    """
                )
            }
        }
        #expect(runtime.state == [1])
    }

    @Test("Caught errors become actions (W40)")
    func caughtErrorsBecomeActions() async {
        let runtime = makeRuntime(
            .perform {
                throw Failure(description: "12")
            } catch: { error in
                .got(Int("\(error)") ?? 0)
            }
        )
        #expect(await runtime.send(.start).finish() == .finished)
        #expect(runtime.state == [12])
    }

    @Test func cancellationErrorCancelsWithoutAReport() async {
        let runtime = makeRuntime(.merge(.perform { throw CancellationError() }, .perform { .got(1) }))
        #expect(await runtime.send(.start).finish() == .cancelled)
        #expect(runtime.state == [1])
    }

    @Test func identityIsKnownInsideEffectsOfTheWholeTree() async {
        let seen = Shared<[EventID?]>([])
        let runtime = LatticeCoreTests.makeRuntime(0) { (state: inout Int, action: Int) in
            .perform {
                seen.update { $0.append(EventID.current) }
                return action == 0 ? nil : action - 1
            }
        }
        await runtime.send(1, in: EventContext(id: .sample(7))).finish()
        await runtime.send(0).finish()
        await TaskSubject.$current.withValue(.call(.sample(9))) { _ = await runtime.send(0).finish() }
        #expect(seen.value == [.sample(7), .sample(7), nil, nil])
    }

    @Test("A short effect is released while a long one runs (W21)")
    func endedEffectsAreNotKeptAlive() async {
        final class Token: Sendable {
            let gone: Gate
            init(_ gone: Gate) { self.gone = gone }
            deinit { gone.open() }
        }
        let gone = Gate()
        let longEffect = Gate()
        let runtime = LatticeCoreTests.makeRuntime([]) { (state: inout [Int], action: Action) in
            guard case .start = action else { return .none }
            let token = Token(gone)
            let short = Emission<Action>.perform {
                withExtendedLifetime(token) { nil }
            }
            return .merge(
                short,
                .perform {
                    await longEffect.wait()
                    return nil
                }
            )
        }
        let task = runtime.send(.start)
        await gone.wait()
        #expect(runtime.runningEvents == 1)
        longEffect.open()
        #expect(await task.finish() == .finished)
    }
}
