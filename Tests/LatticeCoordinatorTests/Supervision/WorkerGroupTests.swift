import LatticeCore
import LatticeTestSupport
import Testing

@testable import LatticeCoordinator

/// Tests the placement of features by the configuration.
struct WorkerGroupTests {
    private static let hosted: [any HostedFeature.Type] = [
        ArchiveFeature.self, JournalFeature.self, ProfileFeature.self, WordsFeature.self,
    ]

    @Test("Without groups all features share one worker, also if there are none")
    func noGroups() throws {
        let configuration = CoordinatorConfiguration()
        let placed = try configuration.place(Self.hosted).groups
        #expect(placed.map { $0.features.map { $0.identifier } } == [["archive", "journal", "profile", "words"]])
        #expect(placed.map(\.name) == [""])
        #expect(try configuration.place([]).groups.map { $0.features.count } == [0])
    }

    @Test("Features in groups have their own workers, and the other features share one, which comes first")
    func someInGroups() throws {
        var configuration = CoordinatorConfiguration()
        configuration.groups = [
            WorkerGroup("words", of: WordsFeature.self),
            WorkerGroup("both", of: ProfileFeature.self, ArchiveFeature.self),
        ]
        let placed = try configuration.place(Self.hosted).groups
        #expect(placed.map(\.name) == ["", "words", "both"])
        #expect(placed.map { $0.features.map { $0.identifier } } == [["journal"], ["words"], ["profile", "archive"]])
    }

    @Test("If every feature is in a group, only the workers of groups exist")
    func allInGroups() throws {
        var configuration = CoordinatorConfiguration()
        configuration.groups = [
            WorkerGroup("words", of: WordsFeature.self),
            WorkerGroup("rest", of: ProfileFeature.self, ArchiveFeature.self, JournalFeature.self),
        ]
        #expect(try configuration.place(Self.hosted).groups.map(\.name) == ["words", "rest"])
    }

    @Test("A group has the coordinator's settings except for its own")
    func settings() throws {
        var configuration = CoordinatorConfiguration()
        configuration.workerExecutable = "/bin/one"
        configuration.workerArguments = ["--one"]
        configuration.workerEnvironment = ["A": "1", "B": "1"]
        configuration.restart.intensity.restarts = 7
        configuration.limits.openFiles = 100
        configuration.limits.cpuTime = .seconds(60)
        configuration.heartbeatTimeout = .seconds(3)
        var other = WorkerGroup("other", of: WordsFeature.self)
        other.executable = "/bin/two"
        other.arguments = []
        other.environment = ["B": "2", "C": "2"]
        var restart = RestartPolicy()
        restart.intensity.restarts = 2
        other.restart = restart
        other.limits = WorkerLimits(openFiles: 200)
        configuration.groups = [other, WorkerGroup("same", of: ProfileFeature.self)]
        let placed = try configuration.place(Self.hosted).groups.map(\.configuration)
        #expect(placed.map(\.workerExecutable) == ["/bin/one", "/bin/two", "/bin/one"])
        #expect(placed.map(\.workerArguments) == [["--one"], [], ["--one"]])
        #expect(placed[1].workerEnvironment == ["A": "1", "B": "2", "C": "2"])
        #expect(placed[2].workerEnvironment == ["A": "1", "B": "1"])
        #expect(placed.map(\.restart.intensity.restarts) == [7, 2, 7])
        #expect(placed.map(\.limits.openFiles) == [100, 200, 100])
        #expect(placed.map(\.limits.cpuTime) == [.seconds(60), nil, .seconds(60)])
        #expect(placed.map(\.heartbeatTimeout) == [.seconds(3), .seconds(3), .seconds(3)])
        #expect(placed.map { $0.context(of: WordsFeature.self, instance: "i").group } == ["", "other", "same"])
    }

    @Test(
        "Groups that make no sense are refused, and the error says what to do",
        arguments: [
            (
                [WorkerGroup("", of: WordsFeature.self)],
                "The worker group \"\" is invalid: its name has 0 bytes; choose 1 to 64"
            ),
            (
                [WorkerGroup(String(repeating: "n", count: 65), of: WordsFeature.self)],
                "The worker group \"\(String(repeating: "n", count: 65))\" is invalid: its name has 65 bytes; choose 1"
                    + " to 64"
            ),
            (
                [WorkerGroup("a", of: WordsFeature.self), WorkerGroup("a", of: ProfileFeature.self)],
                "The worker group \"a\" is invalid: another group has the same name; give each group its own name"
            ),
            (
                [WorkerGroup("a\nb", of: WordsFeature.self)],
                "The worker group \"a\nb\" is invalid: its name has a control character; leave it out"
            ),
            (
                [WorkerGroup("a")],
                "The worker group \"a\" is invalid: it has no features; name at least one, or set its workers to"
                    + " several(_:) for actors"
            ),
            (
                [WorkerGroup("a", workers: 0)],
                "The worker group \"a\" is invalid: it may have 0 workers; choose 1 to 256"
            ),
            (
                [several(of: WordsFeature.self)],
                "The worker group \"a\" is invalid: it has features and several workers, and each worker would have"
                    + " its own states; choose onePerInstance, or a group without features"
            ),
            (
                [WorkerGroup("a", of: CopiesFeature.self)],
                "The worker group \"a\" is invalid: the feature \"copies\" is not hosted; host it, or remove it from"
                    + " the group"
            ),
            (
                [WorkerGroup("a", of: WordsFeature.self), WorkerGroup("b", of: WordsFeature.self)],
                "The worker group \"b\" is invalid: the feature \"words\" is in this group twice or in another group"
                    + " too; name it once"
            ),
            (
                [WorkerGroup("a", of: WordsFeature.self, WordsFeature.self)],
                "The worker group \"a\" is invalid: the feature \"words\" is in this group twice or in another group"
                    + " too; name it once"
            ),
            (
                (0...64).map { WorkerGroup("\($0)", of: WordsFeature.self) },
                "The configuration has 65 worker groups. Choose at most 64."
            ),
        ] as [([WorkerGroup], String)]
    )
    func refused(groups: [WorkerGroup], sentence: String) {
        var configuration = CoordinatorConfiguration()
        configuration.groups = groups
        #expect(throws: CoordinatorError.invalid(sentence)) { try configuration.place(Self.hosted) }
    }

    /// The settings of a group "a" that make no sense, and what is said of them.
    private static let unordered: [(@Sendable (inout WorkerGroup) -> Void, String)] = [
        (
            {
                $0.workers = .onePerInstance(atMost: 2)
                $0.strategy = .oneForAll
            },
            "its workers come and go, so its strategy must be one for one and it cannot contain groups; put it into a"
                + " group that has another strategy"
        ),
        (
            { $0.autoShutdown = .any },
            "autoShutdown is any, but none of its children can ever be done; choose another restart.kind, or set"
                + " autoShutdown to never"
        ),
        (
            { $0.intensity = RestartIntensity(restarts: -1, period: .seconds(1)) },
            "intensity.restarts is -1; give it 0 or more"
        ),
        (
            { $0.groups = [WorkerGroup("a", of: ProfileFeature.self)] },
            "another group has the same name; give each group its own name"
        ),
    ]

    @Test("A group whose order makes no sense is refused", arguments: 0..<4)
    func refusedOrder(row: Int) {
        var group = WorkerGroup("a", of: WordsFeature.self)
        Self.unordered[row].0(&group)
        var configuration = CoordinatorConfiguration()
        configuration.groups = [group]
        let error = #expect(throws: CoordinatorError.self) { try configuration.place(Self.hosted) }
        #expect(
            error?.message.hasSuffix("\"a\" is invalid: " + Self.unordered[row].1) == true,
            "\(String(describing: error))"
        )
    }

    @Test("Nested groups are placed after the workers around them, counted, and bounded in depth")
    func groupsInGroups() throws {
        var inner = WorkerGroup("inner", of: ProfileFeature.self, ArchiveFeature.self)
        inner.workers = .onePerFeature
        inner.strategy = .restForOne
        inner.shutdownTimeout = .seconds(3)
        var outer = WorkerGroup("outer", of: WordsFeature.self)
        outer.strategy = .oneForAll
        outer.groups = [inner]
        var configuration = CoordinatorConfiguration()
        configuration.groups = [outer]
        let placed = try configuration.place(Self.hosted)
        #expect(placed.groups.map(\.name) == ["", "outer", "inner", "inner"])
        #expect(placed.groups.map(\.treePosition?.id) == [nil, 1, 3, 4])
        #expect(
            placed.groups.map(\.configuration.drainTimeout) == [.seconds(1), .seconds(1), .seconds(3), .seconds(3)]
        )
        #expect(placed.trees.count == 1)
        // Each worker has its drain timeout, 250 ms for the last cancellations, 250 ms for the last call, one second
        // each for goodbye and SIGTERM, and 250 ms.
        #expect(configuration.placementStopTimeout == .seconds(3.75 + 2 * 5.75))
        // Workers without features leave side by side.
        var actors = WorkerGroup("actors", workers: 4)
        actors.shutdownTimeout = .seconds(60)
        var ofActors = CoordinatorConfiguration()
        ofActors.groups = [actors]
        #expect(ofActors.placementStopTimeout == .seconds(60 + 2.75))
        for depth in 1..<WorkerGroup.maximumDepth {
            var around = WorkerGroup("around \(depth)")
            around.groups = configuration.groups
            configuration.groups = [around]
        }
        let error = #expect(throws: CoordinatorError.self) { try configuration.place(Self.hosted) }
        #expect(
            error?.message == "The worker group \"inner\" is invalid: it is nested in 8 groups; nest it in fewer than 8"
        )
    }

    @Test("A group's restart policy is validated like the coordinator's")
    func restartPolicy() {
        var group = WorkerGroup("a", of: WordsFeature.self)
        var restart = RestartPolicy()
        restart.jitter = 2
        group.restart = restart
        var configuration = CoordinatorConfiguration()
        configuration.groups = [group]
        let error = #expect(throws: CoordinatorError.self) { try configuration.place(Self.hosted) }
        #expect(error?.message.hasPrefix("The worker group \"a\" is invalid: restart.jitter ") == true)
    }

    @Test("A group's limits are validated like the coordinator's")
    func limits() {
        var group = WorkerGroup("a", of: WordsFeature.self)
        group.limits = WorkerLimits(openFiles: 3)
        var configuration = CoordinatorConfiguration()
        configuration.groups = [group]
        let sentence = "The worker group \"a\" is invalid: limits.openFiles is 3; give it 16 or more, or leave it out"
        #expect(throws: CoordinatorError.invalid(sentence)) { try configuration.place(Self.hosted) }
    }
}

/// A group with a feature and three workers, which makes no sense.
private func several(of feature: any HostedFeature.Type) -> WorkerGroup {
    var group = WorkerGroup("a", of: feature)
    group.workers = .several(3)
    return group
}
