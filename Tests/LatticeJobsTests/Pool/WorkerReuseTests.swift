import Testing

@testable import LatticeJobs

@Suite struct WorkerReuseTests {
    @Test(
        "A worker is replaced after its last job, or if it has too much memory",
        arguments: [
            (WorkerReuse.unlimited, 1_000_000, Int?.some(1 << 40), false), (.jobs(3), 2, nil, false),
            (.jobs(3), 3, nil, true),
            (.memory(bytes: 1 << 20), 1, 1 << 20, false), (.memory(bytes: 1 << 20), 1, (1 << 20) + 1, true),
            (.memory(bytes: 1 << 20), 1, nil, false),
        ]
    )
    func replaces(reuse: WorkerReuse, jobs: Int, memory: Int?, isReplaced: Bool) {
        #expect((reuse.reasonToReplace(afterJobs: jobs, memory: memory) != nil) == isReplaced)
    }

    @Test("Rules that make no sense are refused", arguments: [WorkerReuse.jobs(0), .jobs(-1), .memory(bytes: 1)])
    func invalid(reuse: WorkerReuse) {
        let error = #expect(throws: JobError.self) { try JobPoolConfiguration(reuse: reuse).check() }
        #expect(error?.code == .invalid)
    }
}
