import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport

/// Keeps a number of events in flight from within the channel's deliveries, and checks the outcome and the state of
/// each.
final class SessionEchoDriver: @unchecked Sendable {
    // Unchecked: everything except the one-shots is only used on the event loop's thread.

    typealias Channel = FeatureClient<NumberedBytes, EchoState>

    private struct Sent {
        let completion: EventCompletion
        let number: Int
        let time: SuspendingClock.Instant
    }

    private struct Run {
        let channel: Channel
        let count: Int
        let window: Int
        let start: SuspendingClock.Instant
        let done: OneShot<Result<EchoBench.Figures, any Error>>
        var latencies = Latencies()
    }

    let opened = OneShot<Result<Void, any Error>>()
    // These are not part of `run` and are not checked for exclusive access at run time, because the channel is
    // measured and not this driver.
    @exclusivity(unchecked) private var run: Run?
    /// The events in flight. The event with index `n` of this run is at `n % window`.
    @exclusivity(unchecked) private var slots: [Sent] = []
    @exclusivity(unchecked) private var sent = 0
    @exclusivity(unchecked) private var ended = 0
    @exclusivity(unchecked) private var state = EchoState()
    @exclusivity(unchecked) private var next = NumberedBytes.firstNumber

    /// Sends events with at most `window` of them in flight, and returns when all have ended.
    func run(_ count: Int, window: Int, over channel: Channel) async throws -> EchoBench.Figures {
        let done = OneShot<Result<EchoBench.Figures, any Error>>()
        channel.channel.eventLoop.execute { [self] in
            slots = []
            sent = 0
            ended = 0
            run = Run(channel: channel, count: count, window: window, start: .now, done: done)
            advance()
        }
        return try await done.value.get()
    }

    /// Takes the delivery of one tick of the event loop. Called on the event loop's thread.
    func receive(_ delivery: Delivery<EchoState>) {
        let decoded = delivery.decodeState()
        let update = delivery.channelUpdate
        if update.isOpened { opened.complete(.success(())) }
        do throws(BenchError) {
            if let end = update.end { throw BenchError("the channel was closed: \(end.reason)") }
            if let decoded { try take(decoded) }
            for ending in update.endings { try take(ending) }
        } catch {
            opened.complete(.failure(error))
            run?.done.complete(.failure(error))
            run = nil
        }
        advance()
    }

    private func take(_ state: EchoState) throws(BenchError) {
        guard state.number >= self.state.number, state.gaps == 0, state.payload.count == self.state.payload.count else {
            throw BenchError("state \(state) arrived after \(self.state)")
        }
        self.state = state
    }

    private func take(_ ending: ChannelUpdate.Ending) throws(BenchError) {
        ending.promise.ended(ending.outcome)
        guard ended < sent else { throw BenchError("an event ended that was not sent") }
        let slot = ended % slots.count
        let number = slots[slot].number
        guard slots[slot].completion === ending.promise else {
            throw BenchError("another event ended than \(number), which is the oldest")
        }
        try BenchError.check(EventOutcome(ending.outcome), of: "event \(number)")
        guard state.number >= number else {
            throw BenchError("event \(number) ended before its state arrived: \(state)")
        }
        if run?.window == 1 { run?.latencies.record(slots[slot].time.duration(to: .now)) }
        ended += 1
    }

    /// Sends events until the window is full, or ends the run.
    private func advance() {
        guard let run else { return }
        while sent < run.count, sent - ended < run.window {
            // The time is only read if one event follows the other.
            let time = run.window == 1 ? SuspendingClock.now : run.start
            let completion = run.channel.actions.sendTracked(EchoFeature.action(next)).completion
            let event = Sent(completion: completion, number: next, time: time)
            if slots.count < run.window { slots.append(event) } else { slots[sent % run.window] = event }
            next += 1
            sent += 1
        }
        if ended == run.count { finish(run) }
    }

    private func finish(_ run: Run) {
        self.run = nil
        guard state.number == next - 1 else {
            run.done.complete(.failure(BenchError("the last state is \(state), not that of event \(next - 1)")))
            return
        }
        let duration = run.start.duration(to: .now)
        run.done.complete(.success(EchoBench.Figures(latencies: run.latencies, duration: duration)))
    }
}
