import LatticeFaults
import LatticeJobs
import Testing

@testable import LatticeChaos

@Suite struct JobPlanTests {
    static let kinds = FaultPlan.Scope.Kind.allCases

    @Test("The same seed makes the same jobs and faults, and another seed makes others")
    func seeds() {
        let plan = JobPlan(seed: 7, jobs: 200, faults: 20, kinds: Self.kinds)
        let again = JobPlan(seed: 7, jobs: 200, faults: 20, kinds: Self.kinds)
        let other = JobPlan(seed: 8, jobs: 200, faults: 20, kinds: Self.kinds)
        #expect(plan.workers == again.workers && plan.parts.map(\.planned) == again.parts.map(\.planned))
        #expect(plan.workers != other.workers && plan.parts[0].planned != other.parts[0].planned)
    }

    @Test("With half of the seeds, workers take several jobs at a time, with and without standbys")
    func places() {
        let plans = (0..<4).map { JobPlan(seed: $0, jobs: 10, faults: 0, kinds: []) }
        #expect(plans.map(\.places) == [1, 1, JobPlan.sharedPlaces, JobPlan.sharedPlaces])
        #expect(plans.map(\.hasStandbys) == [true, false, true, false])
    }

    @Test("All jobs are divided among three callers, a third of them is bad, and the last caller is killed")
    func parts() {
        let plan = JobPlan(seed: 7, jobs: 3000, faults: 20, kinds: Self.kinds)
        #expect(plan.parts.map(\.jobs) == [2625, 375, 300])
        #expect(plan.parts.filter { $0.lifetime != nil }.map(\.caller) == [2])
        #expect(0..<300 ~= plan.parts[2].lifetime ?? -1)
        let deeds = plan.parts.flatMap(\.planned).map(\.job.deed)
        #expect(Set(deeds) == Set(ChaosDeed.allCases))
        #expect(900...1300 ~= deeds.count(where: ChaosDeed.bad.contains))
    }

    @Test("No fault is one for which a job could be blamed")
    func faults() {
        #expect(JobPlan(seed: 7, jobs: 10, faults: 20, kinds: [.pause, .descriptors]).workers.faults.isEmpty)
        for kind in [FaultPlan.Scope.Kind.kill, .cut] {
            #expect(JobPlan(seed: 7, jobs: 10, faults: 20, kinds: [kind]).workers.faults.count == 20)
        }
        #expect(JobPlan(seed: 7, jobs: 10, faults: 0, kinds: [.kill]).workers.faults.isEmpty)
    }

    @Test("Each deed has options that a pool accepts, and its limit is the one that it has to pass")
    func options() throws {
        for deed in ChaosDeed.allCases {
            let options = deed.options(priority: 1)
            let limits = options.limits
            let names = [
                limits.wallTime.map { _ in "wall time" }, limits.cpuTime.map { _ in "CPU time" },
                limits.memoryBytes.map { _ in "memory" }, limits.silence.map { _ in "silence" },
            ].compactMap(\.self)
            if case .limit(let name, _) = deed.expectation { #expect(names == [name]) } else { #expect(names.isEmpty) }
            #expect(options.priority == 1 && options.retries.causes.contains(.workerLost))
        }
    }

    @Test(
        "A line of a log is an attempt, and every other line is none",
        arguments: ["", "1.2", "1.2.", "1.2.3.4", "1.x.3"]
    )
    func attempts(line: String) {
        let attempt = ChaosJob.Attempt(job: .init(caller: 1, number: 20), attempt: 3)
        #expect(ChaosJob.Attempt("\(attempt)") == attempt && "\(attempt)" == "1.20.3")
        #expect(ChaosJob.Attempt(line) == nil)
    }
}
