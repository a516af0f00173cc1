import Glibc
import LatticeConcurrency
import LatticeCore

/// One of those who send, cancel and watch in a round, by chance.
@MainActor final class ChaosParticipant {
    /// What a participant does: the same seed, the same choices.
    struct Part: Codable, Sendable {
        let participant: Int
        let seed: UInt64
        let events: Int
        /// How long all that was sent may take to end, behind the last of it; and a state to be seen. What takes longer
        /// is late, and waited for as long as something has moved within this time.
        let patience: Duration
        /// It kills its process when it has sent so many.
        var lifetime: Int?
    }

    /// How long one event is waited for in between.
    private static let shortWait: Duration = .seconds(5)
    /// The pause between two looks whether anything moves.
    private static let pause: Duration = .milliseconds(20)
    /// About the most letters of an event's text.
    private static let maximumText = 100_000

    private struct Sending {
        let log: ChaosLog
        let event: ChaosEvent.Identifier
        let text: ChaosDigest
        let effect: ChaosAction.Effect
        let task: EventTask
        let ended = OneShot<Void>()
        var wasCancelled = false
        var wasUnseen = false
        /// Whether it had not ended in time.
        var isOverdue = false
    }

    private let part: Part
    private let views: [ChaosView]
    private var generator: SeededGenerator
    private var sent: [Sending] = []
    private var shown: [[ChaosRecord.Shown]]
    /// What was noted last, by its log.
    private var newest: [ChaosView.Log]
    /// Whether something has not ended for long: nothing more is waited for before all was sent.
    private var isStuck = false
    private var watching: [Task<Void, Never>] = []
    private var waited = Duration.zero
    private var verdict: ChaosStandstill.Verdict?

    /// - Parameter views: All logs.
    init(_ part: Part, views: [ChaosView]) {
        self.part = part
        self.views = views
        generator = SeededGenerator(seed: part.seed)
        shown = views.map { _ in [] }
        newest = views.map { _ in [:] }
        watching = views.enumerated().map { log, view in view.follow { [weak self] in self?.note($0, log) } }
    }

    deinit {
        for task in watching { task.cancel() }
    }

    /// Returns when every event has ended, or when nothing moves any more.
    func work() async {
        for number in 0..<part.events {
            if number == part.lifetime { kill(getpid(), SIGKILL) }
            send(number)
            await step()
        }
        for index in sent.indices where sent[index].effect == .forever { cancel(index) }
        await waitForAll()
    }

    /// Sends one event more to each log, whose state has everything that went before then.
    /// - Returns: How many events each log has.
    func end() async -> [Int] {
        for log in ChaosLog.allCases { send(part.events, to: log, .none) }
        await waitForAll()
        return views.map { $0.shown().count }
    }

    /// Returns when so many events of each log are shown, or when nothing moves any more.
    func watch(until counts: [Int]) async {
        var standstill = ChaosStandstill(patience: part.patience, at: .now)
        // As it was taken down, one state after the other.
        while !zip(newest, counts).allSatisfy({ $0.count >= $1 }), !standstill.isOver(at: movement, now: .now) {
            try? await Task.sleep(for: .milliseconds(1))
        }
    }

    /// The processes that serve the logs.
    var processes: [Int32?] { views.map { $0.serving()?.processID } }

    /// The present lives of these, from 1 on.
    var lives: [UInt64?] { views.map { $0.serving()?.incarnation } }

    /// The events that are shown, by their logs.
    var logs: [[ChaosEvent]] { views.map { $0.shown().map(\.value) } }

    /// What was done and seen. All has ended by then, or will not.
    func record() -> ChaosRecord {
        let sent = sent.map { sending in
            ChaosRecord.Sent(
                log: sending.log,
                event: sending.event,
                text: sending.text,
                effect: sending.effect,
                wasCancelled: sending.wasCancelled,
                end: .init(sending.task.outcome),
                wasUnseen: sending.wasUnseen,
                wasLate: sending.isOverdue && sending.task.outcome != nil
            )
        }
        let last = logs.map { ChaosDigest(all: $0) }
        return ChaosRecord(
            participant: part.participant,
            sent: sent,
            shown: shown,
            last: last,
            waited: waited,
            verdict: verdict
        )
    }

    private func send(_ number: Int) {
        let log = ChaosLog.allCases.randomElement(using: &generator) ?? .first
        let effect: ChaosAction.Effect =
            switch Int.random(in: 0..<200, using: &generator) {
            case 0 where !log.isSpared: .exit
            case 1 where !log.isSpared: .poison
            case 2 where !log.isSpared: .sometimesPoison
            case 3..<6: .spin
            case 6..<30: .followUp
            case 30..<40: .recovered
            case 40..<60: .forever
            default: .none
            }
        send(number, to: log, effect)
    }

    private func send(_ number: Int, to log: ChaosLog, _ effect: ChaosAction.Effect) {
        var event = ChaosEvent(sender: part.participant, number: number)
        if Int.random(in: 0..<100, using: &generator) == 0 {
            event.fill(letters: .random(in: 0...Self.maximumText, using: &generator))
        }
        let task = views[log.rawValue].send(ChaosAction.event(event, effect))
        let sending = Sending(
            log: log,
            event: event.identifier,
            text: ChaosDigest(text: event.text),
            effect: effect,
            task: task
        )
        task.onCompletion { [ended = sending.ended] _ in ended.complete() }
        sent.append(sending)
    }

    /// Cancels something, waits for something, or lets others go on.
    private func step() async {
        let index = Int.random(in: sent.indices, using: &generator)
        switch Int.random(in: 0..<20, using: &generator) {
        case 0, 1: cancel(index)
        case 2...4 where sent[index].effect != .forever && !isStuck:
            await sent[index].ended.wait(atMost: Self.shortWait)
            isStuck = sent[index].task.outcome == nil
            checkSeen(index)
        default: await Task.yield()
        }
    }

    private func cancel(_ index: Int) {
        sent[index].task.cancel()
        sent[index].wasCancelled = true
    }

    private func waitForAll() async {
        let start = ContinuousClock.now
        var standstill = ChaosStandstill(patience: part.patience, at: start)
        for index in sent.indices {
            while sent[index].task.outcome == nil, !isOver(&standstill) {
                await sent[index].ended.wait(atMost: Self.pause)
            }
        }
        // What was interrupted and is started again sends its action later.
        while !awaitedFollowUps.isSubset(of: shownFollowUps), !isOver(&standstill) {
            try? await Task.sleep(for: Self.pause)
        }
        waited = max(waited, start.duration(to: .now))
        verdict = verdict ?? standstill.verdict
    }

    /// Whether waiting is over. Marks the events that are late.
    private func isOver(_ standstill: inout ChaosStandstill) -> Bool {
        let now = ContinuousClock.now
        if standstill.isLate(now: now) {
            for index in sent.indices where sent[index].task.outcome == nil { sent[index].isOverdue = true }
        }
        return standstill.isOver(at: movement, now: now)
    }

    /// Grows with each event that ends and each state that is shown.
    private var movement: Int {
        sent.count { $0.task.outcome != nil } + shown.reduce(0) { $0 + $1.count }
    }

    private var awaitedFollowUps: Set<ChaosEvent.Identifier> {
        let interrupted = sent.filter { sending in
            guard sending.effect == .recovered, !sending.wasCancelled, case .interrupted = sending.task.outcome else {
                return false
            }
            return true
        }
        return Set(
            interrupted.map {
                ChaosEvent.Identifier(sender: part.participant, number: $0.event.number, isFollowUp: true)
            }
        )
    }

    private var shownFollowUps: Set<ChaosEvent.Identifier> {
        Set(views.flatMap { $0.shown().map(\.value.identifier) }.filter(\.isFollowUp))
    }

    /// When an event has finished, whoever sent it is shown what it did.
    private func checkSeen(_ index: Int) {
        let sending = sent[index]
        guard sending.task.outcome == .finished else { return }
        let isSeen = views[sending.log.rawValue].shown().contains { $0.value.identifier == sending.event }
        if !isSeen { sent[index].wasUnseen = true }
    }

    /// Takes down what is shown, where it is not what was shown before.
    private func note(_ log: ChaosView.Log, _ place: Int) {
        guard log != newest[place] else { return }
        newest[place] = log
        shown[place].append(ChaosDigest(log))
    }
}
