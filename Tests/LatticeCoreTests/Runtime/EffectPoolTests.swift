import Dispatch
import Testing

@testable import LatticeConcurrency
@testable import LatticeCore

@Suite(.timeLimit(.minutes(10)))
struct EffectPoolTests {
    private let executor = ThreadPool("test", width: 2, threads: 16)

    @Test("Every job runs, whatever the thread that stays awake does", arguments: [1, 4])
    func everyJobRuns(senders: Int) async {
        let ran = Shared(0)
        await withTaskGroup { [executor] group in
            for _ in 0..<senders {
                group.addTask {
                    for number in 0..<500 {
                        await Task(executorPreference: executor) { ran.increment() }.value
                        // Sometimes sooner than the thread stops looking out, sometimes later.
                        if number.isMultiple(of: 50) { _ = SpinWait.look { _ in false } }
                    }
                }
            }
        }
        #expect(ran.value == senders * 500)
    }

    @Test("A job that blocks its thread does not keep others from running")
    func blockedThreads() async {
        let release = DispatchSemaphore(value: 0)
        let began = Gate()
        let blocked = Task(executorPreference: executor) {
            began.open()
            Self.wait(for: release)
        }
        await began.wait()
        for _ in 0..<20 { await Task(executorPreference: executor) {}.value }
        release.signal()
        await blocked.value
    }

    /// Blocks the thread. This is a synchronous function, because asynchronous code must not call `wait()`.
    private static func wait(for release: DispatchSemaphore) {
        release.wait()
    }

    @Test(
        "Effects and their calls run off the main actor, with the sender's priority (contract 44)",
        arguments: [
            TaskPriority.high, .medium, .low,
        ]
    )
    @MainActor
    func offTheMainActor(priority: TaskPriority) async {
        let seen = Shared<[String]>([])
        let runtime = FeatureRuntime(
            initialState: 0,
            interactor: Interact<Int, Int> { _, _ in
                .perform {
                    seen.update { $0.append(Task.currentPriority == priority ? "same" : "\(Task.currentPriority)") }
                    dispatchPrecondition(condition: .notOnQueue(.main))
                    return nil
                }
            },
            isolation: MainActor.shared,
            areStatesEqual: { $0 == $1 }
        )
        for _ in 0..<3 {
            await Task(priority: priority) { @MainActor in _ = await runtime.send(1).finish() }.value
        }
        #expect(seen.value == ["same", "same", "same"])
    }
}
