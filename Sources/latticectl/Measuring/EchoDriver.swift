import LatticeCore
import LatticeSession
import LatticeTransport

/// Keeps a number of events in flight from inside the channel's deliveries, and checks each one's end and state.
final class EchoDriver: @unchecked Sendable {
    // Unchecked: everything but the promises is touched on the reactor's thread only.

    typealias Channel = RemoteChannel<EchoAction, EchoState>

    struct Result {
        var latencies = Latencies()
        var duration = Duration.zero
    }

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
        let done: Promise<Result>
        /// The event with index `n` of this run is at `n % window`.
        var slots: [Sent] = []
        var sent = 0
        var ended = 0
        var result = Result()
    }

    let opened = Promise<Void>()
    private let clock = SuspendingClock()
    private var run: Run?
    private var state = EchoState()
    private var next = EchoAction.firstNumber

    /// Sends so many events, at most `window` of them in flight, and returns when all have ended.
    func run(_ count: Int, window: Int, over channel: Channel) async throws -> Result {
        let done = Promise<Result>()
        channel.reactor.execute { [self] in
            run = Run(channel: channel, count: count, window: window, start: clock.now, done: done)
            advance()
        }
        return try await done.value
    }

    /// What a turn of the reactor brought. On the reactor's thread.
    func receive(_ delivery: Delivery<EchoState>) {
        if delivery.news.isOpened { opened.fulfil(.success(())) }
        do throws(BenchError) {
            if let rejection = delivery.news.rejection { throw BenchError("the channel was closed: \(rejection)") }
            if let state = delivery.decodeState() { try take(state) }
            for ending in delivery.news.endings { try take(ending) }
        } catch {
            opened.fulfil(.failure(error))
            run?.done.fulfil(.failure(error))
            run = nil
        }
        advance()
    }

    private func take(_ state: EchoState) throws(BenchError) {
        guard state.number >= self.state.number, state.gaps == 0, state.payload.count == self.state.payload.count else {
            throw BenchError("after \(self.state) came \(state)")
        }
        self.state = state
    }

    private func take(_ ending: ChannelNews.Ending) throws(BenchError) {
        ending.ticket.complete(ending.outcome)
        guard let ended = run?.ended, let sent = run?.slots[ended % (run?.window ?? 1)] else {
            throw BenchError("an event ended that was not sent")
        }
        guard sent.completion === ending.ticket else {
            throw BenchError("another event than \(sent.number) ended, which is the oldest")
        }
        try BenchError.check(ending.outcome, of: "event \(sent.number)")
        guard state.number >= sent.number else {
            throw BenchError("event \(sent.number) ended before its state came: \(state)")
        }
        if run?.window == 1 { run?.result.latencies.record(sent.time.duration(to: clock.now)) }
        run?.ended += 1
    }

    /// Fills the window, or ends the run.
    private func advance() {
        guard var run = self.run.take() else { return }
        while run.sent < run.count, run.sent - run.ended < run.window {
            // Looked at only where one event follows the other.
            let time = run.window == 1 ? clock.now : run.start
            let sending = run.channel.sendTracked(EchoAction(number: next))
            let sent = Sent(completion: sending, number: next, time: time)
            if run.slots.count < run.window { run.slots.append(sent) } else { run.slots[run.sent % run.window] = sent }
            next += 1
            run.sent += 1
        }
        guard run.ended < run.count else {
            run.result.duration = run.start.duration(to: clock.now)
            return finish(run)
        }
        self.run = run
    }

    private func finish(_ run: Run) {
        guard state.number == next - 1 else {
            return run.done.fulfil(.failure(BenchError("the last state is \(state), not that of event \(next - 1)")))
        }
        run.done.fulfil(.success(run.result))
    }
}
