import Testing

@testable import TallyProgram

@Suite(.timeLimit(.minutes(10)))
struct WorkloadTests {
    @Test("A worker's time stops while counting is paused, also from the beginning")
    func timePaused() async {
        let workload = Workload()
        await workload.follow(1)
        await workload.startTime()
        #expect(await workload.seconds == 0)
        await workload.follow(2)
        var running = await workload.seconds
        while running == 0 { running = await workload.seconds }
        await workload.follow(3)
        let paused = await workload.seconds
        #expect(paused >= running)
        // Time continues elsewhere.
        let now = ContinuousClock.now
        while ContinuousClock.now == now { await Task.yield() }
        #expect(await workload.seconds == paused)
        await workload.follow(4)
        while await workload.seconds == paused {}
    }

    @Test func aSwitchThatCameLateChangesNothing() async {
        let workload = Workload()
        await workload.startTime()
        await workload.follow(4)
        await workload.follow(3)
        #expect(!workload.isPaused)
        let seconds = await workload.seconds
        while await workload.seconds == seconds {}
    }
}
