import LatticeCore
import Testing

@testable import LatticeCoordinator

struct GroupStateTests {
    typealias Step = (input: String, orders: String)

    /// Children a, b and c, all serving.
    private func serving(
        _ rules: GroupRules,
        _ children: [GroupBench.Child] = [.worker("a"), .worker("b"), .worker("c")],
        workers: [String] = ["a", "b", "c"]
    ) -> GroupBench {
        var bench = GroupBench(rules, children)
        for worker in workers { _ = bench.tell("\(worker) ready") }
        for worker in workers { _ = bench.tell("\(worker) serves") }
        return bench
    }

    private func expect(_ steps: [Step], of bench: inout GroupBench) {
        for (number, step) in steps.enumerated() {
            let orders = bench.tell(step.input)
            #expect(orders == step.orders, "step \(number): \(step.input)")
        }
    }

    // MARK: Starts

    @Test("With the strategy one for one, all workers start at once")
    func sideBySide() {
        var bench = GroupBench(.test("g"), [.worker("a"), .worker("b")])
        expect([("b ready", "start b"), ("a ready", "start a"), ("a serves", ""), ("b serves", "")], of: &bench)
    }

    @Test(
        "With an ordered strategy, each worker starts after the one before it serves, was given up or is done",
        arguments: [.oneForAll, .restForOne] as [WorkerGroup.Strategy]
    )
    func inOrder(strategy: WorkerGroup.Strategy) {
        for (input, orders) in [("serves", "start b"), ("fails", "start b"), ("done", "start b"), ("dies", "")] {
            var bench = GroupBench(.test("g", strategy), [.worker("a"), .worker("b"), .worker("c")])
            expect(
                [("c ready", ""), ("b ready", ""), ("a ready", "start a"), ("a \(input)", orders)],
                of: &bench
            )
        }
    }

    @Test("A failed start does not restart other workers")
    func failedStart() {
        var bench = GroupBench(.test("g", .oneForAll), [.worker("a"), .worker("b"), .worker("c")])
        expect(
            [
                ("a ready", "start a"), ("b ready", ""), ("c ready", ""), ("a serves", "start b"), ("b dies", ""),
                ("b ready", "start b"), ("b lacks", ""), ("b ready", "start b"), ("b serves", "start c"),
            ],
            of: &bench
        )
    }

    // MARK: Restarts

    @Test("One for one: other workers are not affected by a death")
    func oneForOne() {
        var bench = serving(.test("g"))
        expect([("b dies", ""), ("b ready", "start b"), ("b serves", "")], of: &bench)
    }

    @Test("One for all: the other workers end in reverse order, then all start in order")
    func oneForAll() {
        var bench = serving(.test("g", .oneForAll))
        expect(
            [
                ("b dies", "end c by g"), ("c ends", "end a by g"), ("a ends", "start a"), ("a serves", ""),
                ("b ready", "start b"), ("b serves", "start c"), ("c serves", ""),
            ],
            of: &bench
        )
        #expect(bench.notes == ["The group \"g\" restarts (one for all). A child ended: killed by signal 9 (SIGKILL)"])
    }

    @Test("Rest for one: later workers end in reverse order, then they and the dead one start in order")
    func restForOne() {
        var bench = serving(
            .test("g", .restForOne),
            [.worker("a"), .worker("b"), .worker("c"), .worker("d")],
            workers: ["a", "b", "c", "d"]
        )
        expect(
            [
                ("b dies", "end d by g"), ("b ready", ""), ("d ends", "end c by g"), ("c ends", "start b"),
                ("b serves", "start c"), ("c serves", "start d"), ("d serves", ""),
            ],
            of: &bench
        )
    }

    @Test(
        "A worker that dies during an ordered restart joins it (F19)",
        arguments: [
            // While it waits for its turn to end: its own wait counts.
            [
                ("a dies", "end c by g"), ("b dies", ""), ("c ends", ""), ("a ready", "start a"), ("a serves", ""),
                ("b ready", "start b"), ("b serves", "start c"), ("c serves", ""),
            ],
            // While it ends.
            [
                ("a dies", "end c by g"), ("c dies", "end b by g"), ("b ends", ""), ("c ready", ""),
                ("a ready", "start a"), ("a serves", "start b"), ("b serves", "start c"), ("c serves", ""),
            ],
            // After the first worker serves again, while the next one starts: that one ends again, and all start again.
            [
                ("b dies", "end c by g"), ("c ends", "end a by g"), ("a ends", "start a"), ("b ready", ""),
                ("a serves", "start b"), ("a dies", "end b by g"), ("a ready", ""), ("b ends", "start a"),
                ("a serves", "start b"), ("b serves", "start c"), ("c serves", ""),
            ],
            // The worker that is starting dies before it serves.
            [
                ("a dies", "end c by g"), ("c ends", "end b by g"), ("b ends", ""), ("a ready", "start a"),
                ("a dies", ""), ("a ready", "start a"), ("a serves", "start b"), ("b serves", "start c"),
            ],
            // It is given up while the others end: they go on without it.
            [
                ("a dies", "end c by g"), ("b fails", ""), ("c ends", ""), ("a ready", "start a"),
                ("a serves", "start c"), ("c serves", ""),
            ],
            // It ends as ordered in the same moment as it dies.
            [
                ("c dies", "end b by g"), ("b dies", "end a by g"), ("a dies", ""), ("c ready", ""),
                ("b ready", ""), ("a ready", "start a"), ("a serves", "start b"), ("b serves", "start c"),
            ],
        ] as [[Step]]
    )
    func deathsDuringARestart(steps: [Step]) {
        var bench = serving(.test("g", .oneForAll))
        expect(steps, of: &bench)
        for worker in bench.state.workers.values { #expect(worker.restartCause == nil) }
    }

    @Test("A worker that is given up does not restart others, and starts in its place when it is retried")
    func givenUpAlone() {
        var bench = serving(.test("g", .oneForAll))
        expect([("b fails", ""), ("b ready", "start b"), ("b serves", ""), ("a dies", "end c by g")], of: &bench)
    }

    // MARK: Groups in groups

    /// a, then a group with b and c, then d.
    private func nested(
        _ outer: WorkerGroup.Strategy,
        _ inner: WorkerGroup.Strategy,
        restarts: Int? = nil,
        outerRestarts: Int? = nil
    ) -> GroupBench {
        serving(
            .test("outer", outer, restarts: outerRestarts),
            [
                .worker("a"), .group(.test("inner", inner, restarts: restarts), [.worker("b"), .worker("c")]),
                .worker("d"),
            ],
            workers: ["a", "b", "c", "d"]
        )
    }

    @Test("A nested group ends and starts in its place, in its own order")
    func groupsInGroups() {
        var bench = nested(.oneForAll, .restForOne)
        expect(
            [
                ("a dies", "end d by outer"), ("d ends", "end c by outer"), ("c ends", "end b by outer"),
                ("b ends", ""),
                ("a ready", "start a"), ("a serves", "start b"), ("b serves", "start c"), ("c serves", "start d"),
            ],
            of: &bench
        )
    }

    @Test("A death in a nested group affects only that group")
    func innerDeath() {
        var bench = nested(.oneForAll, .oneForAll)
        expect(
            [("b dies", "end c by inner"), ("c ends", ""), ("b ready", "start b"), ("b serves", "start c")],
            of: &bench
        )
    }

    @Test(
        "A nested group that exceeds its restart intensity counts as one death in the outer group and restarts with it"
    )
    func escalation() {
        var bench = nested(.oneForAll, .oneForOne, restarts: 1)
        expect(
            [
                ("b dies", ""), ("b ready", "start b"), ("b serves", ""),
                ("b dies", "wait inner 0.1 seconds, end d by outer"), ("b ready", ""), ("d ends", "end c by inner"),
                ("c ends", "end a by outer"), ("a ends", "start a"), ("a serves", ""),
                ("inner waited", "start b, start c"), ("b serves", ""), ("c serves", "start d"), ("d serves", ""),
            ],
            of: &bench
        )
        #expect(
            bench.notes == [
                "the group \"inner\" was given up, as its children ended 2 times within 10.0 seconds and the limit is"
                    + " 1; the last time: killed by signal 9 (SIGKILL); it restarts in 0.1 seconds",
                "The group \"outer\" restarts (one for all). A child ended: ended with its group \"inner\"",
            ]
        )
    }

    @Test("A nested group that is given up beyond its policy stays stopped, and the other workers continue")
    func innerIsGivenUp() {
        var bench = nested(.restForOne, .oneForOne, restarts: 0)
        // The policy takes one restart within ten seconds.
        expect(
            [
                ("b dies", "wait inner 0.1 seconds, end d by outer"), ("b ready", ""), ("d ends", "end c by inner"),
                ("c ends", ""), ("inner waited", "start b, start c"), ("b serves", ""), ("c serves", "start d"),
                ("d serves", ""),
                ("b dies", "wait inner 60.0 seconds, end c by inner, give up b"), ("c ends", "give up c"),
                ("c reset", "revive b manual, revive c manual"), ("c ready", "start c"), ("b ready", "start b"),
            ],
            of: &bench
        )
        #expect(Set(bench.failures).count == 1)
        #expect(
            bench.failures.first?.hasSuffix("killed by signal 9 (SIGKILL); it is tried again in 60.0 seconds") == true
        )
    }

    @Test("A top-level group that exceeds its restart intensity is given up as a whole until a probe or a reset")
    func topIsGivenUp() {
        var bench = nested(.oneForAll, .oneForOne, restarts: 0, outerRestarts: 0)
        expect(
            [
                ("b dies", "wait inner 0.1 seconds, wait outer 60.0 seconds, end d by outer, give up b"),
                ("d ends", "end c by inner, give up d"), ("c ends", "end a by outer, give up c"),
                ("a ends", "give up a"), ("inner waited", ""),
                ("outer waited", "revive a probe, revive b probe, revive c probe, revive d probe"),
                ("d ready", ""), ("c ready", ""), ("b ready", ""), ("a ready", "start a"),
                ("a serves", "start b, start c"), ("b serves", ""),
                // Not stable: it is given up again.
                ("a dies", "wait outer 60.0 seconds, end c by outer, end b by outer, give up a, give up d"),
            ],
            of: &bench
        )
        expect(
            [
                ("b ends", "give up b"), ("a reset", "revive a manual, revive b manual, revive d manual"),
                ("c ends", ""), ("outer waited", ""), ("a ready", "start a"), ("b ready", ""),
                ("a serves", "start b, start c"),
            ],
            of: &bench
        )
    }

    @Test("Excused deaths do not count for the group, and deaths by a quarantined event are forgiven")
    func excuses() {
        var bench = serving(.test("g", restarts: 1))
        for input in ["excused", "excused", "dies", "poisoned", "dies"] {
            let orders = bench.tell("a \(input)")
            #expect(orders == "", "\(input)")
            expect([("a ready", "start a"), ("a serves", "")], of: &bench)
        }
        bench.now += .seconds(11)
        expect([("b dies", ""), ("b ready", "start b"), ("b serves", "")], of: &bench)
        expect([("c dies", "wait g 60.0 seconds, end b by g, end a by g, give up c")], of: &bench)
    }

    // MARK: Done

    @Test("A group is done with its first or its last worker, and its other workers end in reverse order")
    func autoShutdown() {
        var bench = serving(.test("g", .restForOne, .any, kind: .transient))
        expect(
            [
                ("a done", "end c by g"), ("c ends", "end b by g, give up c"), ("b ends", "give up b"),
                (
                    "b reset",
                    "revive a manual, revive b manual, revive c manual"
                ),
            ],
            of: &bench
        )
        let reason = "the group \"g\" has shut down (autoShutdown): one of its workers ended: exited with code 0"
        #expect(bench.failures.first == reason)
        bench = serving(.test("g", .restForOne, .all, kind: .temporary))
        expect([("a done", ""), ("c done", ""), ("b done", "")], of: &bench)
        #expect(bench.notes == [reason])
        bench = serving(.test("g", .restForOne, .never, kind: .temporary))
        expect([("a done", ""), ("b done", ""), ("c done", "")], of: &bench)
        #expect(bench.notes == [])
    }

    @Test("A nested group that is done counts as a child that is done")
    func innerIsDone() {
        var bench = serving(
            .test("outer", .oneForAll, .all),
            [.worker("a"), .group(.test("job", .oneForOne, .any, kind: .transient), [.worker("b"), .worker("c")])]
        )
        expect(
            [("b done", "end c by job"), ("c ends", "end a by outer, give up c"), ("a ends", "give up a")],
            of: &bench
        )
        #expect(
            bench.notes == [
                "the group \"job\" has shut down (autoShutdown): one of its workers ended: exited with code 0",
                "the group \"outer\" has shut down (autoShutdown): its nested group \"job\" has shut down",
            ]
        )
    }

    // MARK: Workers that come and go

    @Test("Workers of instances are one child of their group, start independently, and restart together in its order")
    func workersOfInstances() {
        var bench = GroupBench(
            .test("g", .restForOne),
            [.worker("a"), .group(.test("each", isDynamic: true), []), .worker("c")]
        )
        expect([("a ready", "start a"), ("c ready", ""), ("a serves", "start c"), ("c serves", "")], of: &bench)
        for name in ["1", "2"] {
            bench.addWorker(name, to: bench.id("each"))
            expect([("\(name) ready", "start \(name)"), ("\(name) serves", "")], of: &bench)
        }
        expect([("1 dies", ""), ("1 ready", "start 1"), ("1 serves", "")], of: &bench)
        expect(
            [
                ("a dies", "end c by g"), ("c ends", "end 2 by g, end 1 by g"), ("1 ends", ""), ("a ready", ""),
                // Its instance was closed meanwhile.
                ("2 leaves", "start a"), ("a serves", "start 1, start c"),
            ],
            of: &bench
        )
    }

    // MARK: Stops

    @Test(
        "At a stop, each worker stops after later ones have left, one without a process stops at once, and none starts"
    )
    func stops() {
        var bench = nested(.restForOne, .oneForOne)
        expect(
            [
                ("d dies", ""), ("stop", "stop c, stop b, stop d"), ("d ready", ""), ("c leaves", ""), ("d leaves", ""),
                ("b dies", ""), ("b leaves", "stop a"), ("a leaves", ""),
            ],
            of: &bench
        )
    }

    @Test("A stop takes precedence over a restart")
    func stopDuringARestart() {
        var bench = serving(.test("g", .oneForAll))
        expect(
            [
                ("a dies", "end c by g"), ("stop", "stop c, stop a"), ("c ends", ""), ("a leaves", ""),
                ("c leaves", "stop b"), ("b leaves", ""),
            ],
            of: &bench
        )
    }

    @Test("Late messages and messages of unknown workers change nothing")
    func lateInputs() {
        var bench = serving(.test("g", .oneForAll))
        expect(
            [
                ("a serves", ""), ("x dies", ""), ("x leaves", ""), ("b reset", ""), ("g waited", "no wait"),
                ("a dies", "end c by g"), ("c serves", ""), ("c ends", "end b by g"), ("b ends", ""),
                ("a ready", "start a"),
                // Its turn was answered before it asked for the next one.
                ("a ready", "start a"),
            ],
            of: &bench
        )
    }
}
