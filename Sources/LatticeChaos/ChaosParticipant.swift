import Glibc
import LatticeCore

/// One of those who send, cancel and watch in a round, by chance.
@MainActor final class ChaosParticipant {
    /// What a participant does: the same seed, the same choices.
    struct Part: Codable, Sendable {
        let participant: Int
        let seed: UInt64
        let events: Int
        /// It kills its process when it has sent so many.
        var lifetime: Int?
    }

    /// How long after all faults an event may take to end, and a state to be seen.
    static let limit: Duration = .seconds(30)
    /// The most letters of an event's text.
    private static let maximumText = 100_000

    private struct Sending {
        let log: ChaosLog
        let event: ChaosEvent.Identifier
        let effect: ChaosAction.Effect
        let task: EventTask
        var wasCancelled = false
    }

    private let part: Part
    private let views: [ChaosView]
    private var generator: SeededGenerator
    private var sent: [Sending] = []
    private var shown: [[ChaosRecord.Shown]]
    /// What was noted last, by its log.
    private var newest: [StateDictionary<Int, ChaosEvent>]

    /// - Parameter views: All logs.
    init(_ part: Part, views: [ChaosView]) {
        self.part = part
        self.views = views
        generator = SeededGenerator(seed: part.seed)
        shown = views.map { _ in [] }
        newest = views.map { _ in [:] }
    }

    /// Returns when every event has ended, or has not within the limit.
    func work() async {
        for number in 0..<part.events {
            if number == part.lifetime { kill(getpid(), SIGKILL) }
            send(number)
            await step()
            note()
        }
        for index in sent.indices where sent[index].effect == .forever { cancel(index) }
        for sending in sent { await wait(for: sending.task) }
        note()
    }

    /// Sends one event more to each log, whose state has everything that went before then.
    /// - Returns: How many events each log has.
    func end() async -> [Int] {
        for log in ChaosLog.allCases { send(part.events, to: log, .none) }
        for sending in sent.suffix(ChaosLog.allCases.count) { await wait(for: sending.task) }
        note()
        return views.map { $0.shown().count }
    }

    /// Returns when so many events of each log are shown, or are not within the limit.
    func watch(until counts: [Int]) async {
        let deadline = SuspendingClock.now + Self.limit
        while true {
            note()
            let isShown = zip(views, counts).allSatisfy { $0.shown().count >= $1 }
            if isShown || SuspendingClock.now >= deadline { return }
            try? await Task.sleep(for: .milliseconds(1))
        }
    }

    /// The events that are shown, by their logs.
    var logs: [[ChaosEvent]] { views.map { $0.shown().map(\.value) } }

    /// What was done and seen. All has ended by then, or will not.
    func record() -> ChaosRecord {
        let sent = sent.map { sending in
            ChaosRecord.Sent(
                log: sending.log,
                event: sending.event,
                effect: sending.effect,
                wasCancelled: sending.wasCancelled,
                end: .init(sending.task.outcome)
            )
        }
        return ChaosRecord(participant: part.participant, sent: sent, shown: shown)
    }

    private func send(_ number: Int) {
        let log = ChaosLog.allCases.randomElement(using: &generator) ?? .first
        let effect: ChaosAction.Effect =
            switch Int.random(in: 0..<200, using: &generator) {
            case 0: .exit
            case 1..<40: .followUp
            case 40..<60: .forever
            default: .none
            }
        send(number, to: log, effect)
    }

    private func send(_ number: Int, to log: ChaosLog, _ effect: ChaosAction.Effect) {
        var event = ChaosEvent(sender: part.participant, number: number)
        if Int.random(in: 0..<100, using: &generator) == 0 {
            event.text = String(repeating: "x", count: Int.random(in: 0...Self.maximumText, using: &generator))
        }
        let task = views[log.rawValue].send(ChaosAction(event: event, effect: effect))
        sent.append(Sending(log: log, event: event.identifier, effect: effect, task: task))
    }

    /// Cancels something, waits for something, or lets others go on.
    private func step() async {
        let index = Int.random(in: sent.indices, using: &generator)
        switch Int.random(in: 0..<20, using: &generator) {
        case 0, 1: cancel(index)
        case 2...4 where sent[index].effect != .forever: await wait(for: sent[index].task)
        default: await Task.yield()
        }
    }

    private func cancel(_ index: Int) {
        sent[index].task.cancel()
        sent[index].wasCancelled = true
    }

    /// Returns when an event has ended, or has not within the limit.
    private func wait(for task: EventTask) async {
        guard task.outcome == nil else { return }
        await withTaskGroup { group in
            group.addTask { _ = await task.finish() as EventOutcome }
            group.addTask { try? await Task.sleep(for: Self.limit) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Takes down what is shown, where it is not what was shown before.
    private func note() {
        for (log, view) in views.enumerated() where view.shown() != newest[log] {
            newest[log] = view.shown()
            shown[log].append(ChaosDigest(newest[log]))
        }
    }
}
