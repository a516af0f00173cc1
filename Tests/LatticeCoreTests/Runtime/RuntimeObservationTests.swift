import LatticeCore
import Testing

private enum Action: Sendable, Equatable {
    case start
    case step(Int)
}

/// Tests the notifications that a test kit gets from a runtime.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct RuntimeObservationTests {
    private struct Entry: Equatable {
        var action: Action
        var state: [Int]
        /// The number of the event whose tree it belongs to, if it was emitted.
        var event: Int?
        var isSent: Bool
    }

    @Test func everyActionIsReportedWithItsStateAndItsOrigin() async {
        let runtime = makeRuntime([Int]()) { (state: inout [Int], action: Action) in
            switch action {
            case .start:
                state = []
                return .merge(.action(.step(1)), .perform { .step(2) })
            case .step(let step):
                state.append(step)
                return step == 2 ? .merge(.action(.step(3)), .perform { .step(4) }) : .none
            }
        }
        var entries: [Entry] = []
        var tasks: [EventTask] = []
        runtime.onAction = { [unowned runtime] action, origin in
            MainActor.assumeIsolated {
                var entry = Entry(action: action, state: runtime.state, event: nil, isSent: false)
                switch origin {
                case .sent: entry.isSent = true
                case .emitted(let completion?): entry.event = tasks.firstIndex { $0.isEnded(by: completion) }
                // The event that is being sent has no task yet.
                case .emitted(nil): entry.event = tasks.count
                }
                entries.append(entry)
            }
        }
        for event in 0...1 {
            entries = []
            tasks.append(runtime.send(.start))
            #expect(
                entries == [
                    Entry(action: .start, state: [], event: nil, isSent: true),
                    Entry(action: .step(1), state: [1], event: event, isSent: false),
                ]
            )
            await tasks[event].finish()
            #expect(
                entries.dropFirst(2) == [
                    Entry(action: .step(2), state: [1, 2], event: event, isSent: false),
                    Entry(action: .step(3), state: [1, 2, 3], event: event, isSent: false),
                    Entry(action: .step(4), state: [1, 2, 3, 4], event: event, isSent: false),
                ]
            )
        }
    }

    @Test func everyEffectThatStartsIsReportedAndRuns() async {
        let opened = Gate()
        let runtime = makeRuntime(0) { (_: inout Int, action: Action) in
            guard case .start = action else { return .none }
            return .merge(
                .perform { nil },
                .run { _ in },
                .observe {
                    await opened.wait()
                    return AsyncStream { $0.finish() }
                },
                .append(.perform { nil }, .perform { nil }),
                .perform { nil }.cancellable(id: "cancelled"),
                .cancel(id: "cancelled")
            )
        }
        var started = 0
        let working = Shared<Set<Int>>([])
        runtime.onEffectStart = {
            started += 1
            let number = started
            return { working.update { $0.insert(number) } }
        }
        let task = runtime.send(.start)
        // The cancelled one does not start, the second step of the append not yet.
        #expect(started == 4)
        opened.open()
        await task.finish()
        #expect(started == 5)
        #expect(working.value == [1, 2, 3, 4, 5])
    }
}
