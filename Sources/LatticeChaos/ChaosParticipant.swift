import Glibc
import LatticeConcurrency
import LatticeCore

/// A participant of a round that sends, cancels and watches at random.
@MainActor final class ChaosParticipant {
    /// The part of a participant. The same seed makes the same choices.
    struct Part: Codable, Sendable {
        let participant: Int
        let seed: UInt64
        let events: Int
        /// The time after which an event that has not ended is late, counted from the beginning of the wait. The
        /// participant waits for late events until nothing has ended and no state has been shown for this time, or
        /// until ten times this time has passed.
        let patience: Duration
        /// The number of events after which the participant kills its process, or nil if it lives.
        var lifetime: Int?
    }

    /// The maximum time to wait for one event between others.
    private static let shortWait: Duration = .seconds(5)
    /// The interval at which progress is checked.
    private static let pause: Duration = .milliseconds(20)
    /// The maximum number of letters of an event's text, approximately.
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
        /// A Boolean value that indicates whether the event did not end in time.
        var isOverdue = false
    }

    private let part: Part
    private let views: [ChaosView]
    private var generator: SeededGenerator
    private var sent: [Sending] = []
    private var shown: [[ChaosRecord.Shown]]
    /// The state of each log that was recorded last.
    private var newest: [ChaosView.Log]
    /// A Boolean value that indicates whether an event has not ended for a long time. Then no more events are awaited
    /// before all are sent.
    private var isStuck = false
    private var watching: [Task<Void, Never>] = []
    private var waited = Duration.zero
    private var verdict: ChaosStallDetector.Verdict?

    /// Creates a participant.
    ///
    /// - Parameters:
    ///   - part: The part of the participant.
    ///   - views: The views of all logs.
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

    /// Sends the events, and returns when all have ended or when there is no more progress.
    func work() async {
        for number in 0..<part.events {
            if number == part.lifetime { kill(getpid(), SIGKILL) }
            send(number)
            await step()
        }
        for index in sent.indices where sent[index].effect == .forever { cancel(index) }
        await waitForAll()
    }

    /// Sends one more event to each log. The states then contain all earlier events.
    /// - Returns: The number of events of each log.
    func end() async -> [Int] {
        for log in ChaosLog.allCases { send(part.events, to: log, .none) }
        await waitForAll()
        return views.map { $0.shown().count }
    }

    /// Waits until each log shows the given number of events, or until there is no more progress.
    func watch(until counts: [Int]) async {
        var stallDetector = ChaosStallDetector(patience: part.patience, at: .now)
        // This compares the recorded states, which arrive one after the other.
        while !zip(newest, counts).allSatisfy({ $0.count >= $1 }), !stallDetector.isOver(at: movement, now: .now) {
            try? await Task.sleep(for: .milliseconds(1))
        }
    }

    /// The processes that serve the logs.
    var processes: [Int32?] { views.map { $0.serving()?.processID } }

    /// The incarnations of the workers that serve the logs. The first one is 1.
    var incarnations: [UInt64?] { views.map { $0.serving()?.incarnation } }

    /// The shown events of each log.
    var logs: [[ChaosEvent]] { views.map { $0.shown().map(\.value) } }

    /// Returns the record. All events have ended by now, or never will.
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

    /// Cancels an event, waits for an event, or lets other tasks run.
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
        var stallDetector = ChaosStallDetector(patience: part.patience, at: start)
        for index in sent.indices {
            while sent[index].task.outcome == nil, !isOver(&stallDetector) {
                await sent[index].ended.wait(atMost: Self.pause)
            }
        }
        // An interrupted effect that is started again sends its action later.
        while !awaitedFollowUps.isSubset(of: shownFollowUps), !isOver(&stallDetector) {
            try? await Task.sleep(for: Self.pause)
        }
        waited = max(waited, start.duration(to: .now))
        verdict = verdict ?? stallDetector.verdict
    }

    /// Returns whether waiting is over, and marks late events.
    private func isOver(_ stallDetector: inout ChaosStallDetector) -> Bool {
        let now = ContinuousClock.now
        if stallDetector.isLate(now: now) {
            for index in sent.indices where sent[index].task.outcome == nil { sent[index].isOverdue = true }
        }
        return stallDetector.isOver(at: movement, now: now)
    }

    /// A number that grows with each event that ends and each state that is shown.
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

    /// Checks that the sender of a finished event sees its result.
    private func checkSeen(_ index: Int) {
        let sending = sent[index]
        guard sending.task.outcome == .finished else { return }
        let isSeen = views[sending.log.rawValue].shown().contains { $0.value.identifier == sending.event }
        if !isSeen { sent[index].wasUnseen = true }
    }

    /// Records a shown state if it differs from the previous one.
    private func note(_ log: ChaosView.Log, _ place: Int) {
        guard log != newest[place] else { return }
        newest[place] = log
        shown[place].append(ChaosDigest(log))
    }
}
