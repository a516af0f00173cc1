import LatticeCore
import Testing

@Suite(.timeLimit(.minutes(10)))
struct EventCompletionTests {
    @Test func onlyTheFirstOutcomeCounts() async {
        let completion = EventCompletion()
        let heard = Shared<[EventOutcome]>([])
        let task = EventTask(completion: completion)
        task.onCompletion { outcome in heard.update { $0.append(outcome) } }
        #expect(completion.outcome == nil)
        #expect(completion.complete(.finished))
        #expect(!completion.complete(.cancelled))
        task.onCompletion { outcome in heard.update { $0.append(outcome) } }
        #expect(heard.value == [.finished, .finished])
        #expect(await task.finish() == .finished)
        #expect(!task.isCancelled)
    }

    @Test func theOutcomeOfATaskIsNilUntilTheEventHasEnded() async {
        let completion = EventCompletion()
        let task = EventTask(completion: completion)
        #expect(task.outcome == nil)
        task.cancel()
        #expect(task.outcome == nil)
        completion.complete(.cancelled)
        #expect(task.outcome == .cancelled)
        #expect(await task.finish() == .cancelled)
        #expect(EventTask(ended: .rejected(.closed)).outcome == .rejected(.closed))
    }

    @Test func anEventThatIsOverCallsAtOnce() {
        let heard = Shared<[EventOutcome]>([])
        EventTask(ended: .rejected(.closed)).onCompletion { outcome in heard.update { $0.append(outcome) } }
        #expect(heard.value == [.rejected(.closed)])
    }

    @Test func cancellingAsksOnceAndTheOutcomeMayComeLater() async {
        let asked = Canceller()
        let completion = EventCompletion(canceller: asked, event: 7)
        let task = EventTask(completion: completion)
        let other = Task { await task.finish() }
        let waiter = Task { await task.finish() }
        waiter.cancel()
        // A cancelled wait ends at once, although the event runs in another process.
        #expect(await waiter.value == .cancelled)
        task.cancel()
        #expect(asked.events == [7])
        #expect(task.isCancelled)
        completion.complete(.interrupted(Interruption(cause: .hang, incarnation: 1)))
        #expect(await other.value == .interrupted(Interruption(cause: .hang, incarnation: 1)))
    }

    @Test func cancelBeforeAnyoneCanCancelIsRemembered() {
        let asked = Canceller()
        let completion = EventCompletion(event: 7)
        completion.cancel()
        completion.setCanceller(asked)
        #expect(asked.events == [7])
    }

    @Test func cancellingAnEndedEventDoesNothing() {
        let asked = Canceller()
        let completion = EventCompletion(canceller: asked, event: 7)
        completion.complete(.finished)
        completion.cancel()
        #expect(asked.events.isEmpty)
        #expect(!completion.isCancelled)
    }
}

private final class Canceller: EventCancelling {
    private let asked = Shared<[UInt64]>([])

    var events: [UInt64] { asked.value }

    var endsEvents: Bool { false }

    func cancel(event: UInt64, _ cancellation: Cancellation) {
        asked.update { $0.append(event) }
    }
}
