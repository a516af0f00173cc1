import LatticeConcurrency
import Testing

@testable import LatticeCore

/// Who cancelled an event, why, and how far it had come.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct CancellationReasonTests {
    /// A runtime whose action 0 starts an effect that ignores its cancellation until `gate` is open. Actions 1 and 2
    /// cancel such an effect and end at once. All actions are counted.
    private func makeRuntime(_ started: Gate, _ gate: Gate) -> FeatureRuntime<Int, Int> {
        LatticeCoreTests.makeRuntime(0) { (state: inout Int, action: Int) in
            state += 1
            switch action {
            case 0:
                return .run { _ in
                    started.open()
                    await gate.wait()
                }
                .cancellable(id: "effect")
            case 1: return .cancel(id: "effect")
            default: return .none
            }
        }
    }

    @Test("An event ends at once although its effect ignores the cancellation, with the sender and the reason")
    func ignored() async {
        let (started, gate) = (Gate(), Gate())
        let runtime = makeRuntime(started, gate)
        let task = runtime.send(0)
        await started.wait()
        task.cancel(reason: "too slow")
        #expect(task.outcome == .cancelled)
        #expect(
            task.outcome?.cancellation == Cancellation(by: .sender, stage: .whileRunning, reason: "too slow")
        )
        task.cancel(reason: "later")
        #expect(task.outcome?.cancellation?.reason == "too slow")
        gate.open()
    }

    @Test("An event that is cancelled while it waits for a turn is never applied")
    func beforeStart() async {
        let waiting = Shared<EventTask?>(nil)
        let runtime = makeRuntime(Gate(), Gate())
        runtime.onTurn = { [unowned runtime] _ in
            guard waiting.value == nil else { return }
            let task = runtime.send(2)
            waiting.update { $0 = task }
            task.cancel(reason: "not needed")
        }
        runtime.send(2)
        let outcome = waiting.value?.outcome
        #expect(outcome?.cancellation == Cancellation(by: .sender, stage: .beforeStart, reason: "not needed"))
        #expect(runtime.state == 1)
    }

    @Test("An event that has ended before the cancellation keeps its outcome")
    func ended() async {
        let runtime = makeRuntime(Gate(), Gate())
        let task = runtime.send(2)
        task.cancel(reason: "too late")
        #expect(await task.finish() == .finished)
        #expect(task.outcome?.cancellation == nil)
    }

    @Test("An effect that its feature cancels, a closed runtime and a waiter that is cancelled are told apart")
    func cancellers() async {
        let (started, gate) = (Gate(), Gate())
        let runtime = makeRuntime(started, gate)
        let byFeature = runtime.send(0)
        await started.wait()
        runtime.send(1)
        #expect(await byFeature.finish().cancellation?.canceller == .feature)
        let waited = runtime.send(0)
        let waiter = Task { await waited.finish() as EventOutcome }
        waiter.cancel()
        let cancellation = await waiter.value.cancellation
        #expect(cancellation?.canceller == .sender && cancellation?.reason.isEmpty == false)
        let closed = runtime.send(0)
        runtime.close()
        #expect(await closed.finish().cancellation == Cancellation(by: .closed, stage: .whileRunning))
        gate.open()
    }

    private enum Sleeper: HostedFeature {
        static let identifier = "sleeper"
        static func initialDomainState(in context: HostContext) -> Int { 0 }
        static func interactor(in context: HostContext) -> Interact<Int, Int> {
            Interact { _, _ in .run { _ in try await Task.sleep(for: .seconds(3_600)) } }
        }
        static func reducer() -> BuildViewState<Int, Int> { BuildViewState(initial: { $0 }) { $1 = $0 } }
    }

    @Test("The deadline of an event in this process cancels its effects and is named")
    func deadline() async {
        let viewModel = ViewModel(inProcess: Sleeper.self)
        let task = viewModel.sendViewEvent(0, deadline: .now + .seconds(1))
        #expect(await task.finish().cancellation == Cancellation(by: .deadline, stage: .whileRunning))
    }

    @Test("A reason is shortened between two characters")
    func longReason() {
        let reason = Cancellation(by: .sender, reason: String(repeating: "é", count: 1_000)).reason
        #expect(reason.utf8.count == Cancellation.maximumReasonBytes && reason.allSatisfy { $0 == "é" })
        let odd = Cancellation(by: .sender, reason: "a" + String(repeating: "é", count: 1_000)).reason
        #expect(odd.utf8.count == Cancellation.maximumReasonBytes - 1)
    }

    @Test(
        "An outcome says who cancelled the event and how far it had come, as far as that is known",
        arguments: [
            (Cancellation(by: .unknown), "cancelled"),
            (Cancellation(by: .unknown, reason: "why"), "cancelled why"),
            (Cancellation(by: .sender, stage: .beforeStart), "cancelled by its sender before it started"),
            (Cancellation(by: .feature, stage: .whileRunning), "cancelled by its feature while it ran"),
            (Cancellation(by: .deadline), "cancelled by its deadline"),
            (Cancellation(by: .closed), "cancelled with its instance, channel or worker"),
            (
                Cancellation(by: .tool("process 9"), stage: .whileRunning, reason: "x"),
                "cancelled by process 9 while it ran: x"
            ),
        ]
    )
    func text(_ cancellation: Cancellation, _ text: String) {
        #expect("\(EventOutcome.cancelled(cancellation))" == text)
        #expect(EventOutcome.cancelled(cancellation) == .cancelled)
    }

    // MARK: Effects that continue

    @Test("Cancelled effects that do not return in the grace period are reported once, with their event")
    func lingering() async {
        let reported = OneShot<LingeringEffects>()
        let policy = LingeringEffects.Policy(grace: .milliseconds(5)) { reported.complete($0) }
        let event = EventID(origin: EventOrigin(sender: .random(), channel: 1, feature: "f", instance: ""), number: 7)
        let effects = CancelledEffects(of: event, policy: policy)
        effects.insert([1, 2, 3])
        effects.remove(2)
        let report = await reported.wait()
        #expect(report == LingeringEffects(event: event, effects: 2, grace: .milliseconds(5)))
        #expect(report?.sentence.hasPrefix("2 effects of the event \(event) continue 0.005 seconds after") == true)
    }

    @Test("Effects that return in the grace period are not reported")
    func returning() async {
        let reports = Shared(0)
        let policy = LingeringEffects.Policy(grace: .seconds(3_600)) { _ in reports.increment() }
        let effects = CancelledEffects(of: nil, policy: policy)
        effects.insert([1, 2])
        effects.remove(1)
        #expect(effects.isReportDue)
        effects.remove(2)
        #expect(!effects.isReportDue && reports.value == 0)
    }
}
