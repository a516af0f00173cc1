// swift-tools-version: 6.2

import CompilerPluginSupport
import PackageDescription

/// What only the examples, latticectl and lattice-bench need. A package that uses the libraries alone leaves it out by
/// `traits: []`.
let programs = TargetDependencyCondition.when(traits: ["Programs"])

/// What only LatticeMetrics needs.
let metrics = TargetDependencyCondition.when(traits: ["Metrics"])

/// What only LatticeTracing needs.
let tracing = TargetDependencyCondition.when(traits: ["Tracing"])

let package = Package(
    name: "lattice",
    platforms: [.macOS(.v26), .iOS(.v26), .tvOS(.v26), .watchOS(.v26), .visionOS(.v26)],
    products: [
        .library(name: "Lattice", targets: ["Lattice"]),
        .library(name: "LatticeCore", targets: ["LatticeCore"]),
        .library(name: "LatticeActors", targets: ["LatticeActors"]),
        .library(name: "LatticeWorker", targets: ["LatticeWorker"]),
        .library(name: "LatticeCoordinator", targets: ["LatticeCoordinator"]),
        .library(name: "LatticeClient", targets: ["LatticeClient"]),
        .library(name: "LatticeJobs", targets: ["LatticeJobs"]),
        .library(name: "LatticeControl", targets: ["LatticeControl"]),
        .library(name: "LatticeMetrics", targets: ["LatticeMetrics"]),
        .library(name: "LatticeSystemd", targets: ["LatticeSystemd"]),
        .library(name: "LatticeTracing", targets: ["LatticeTracing"]),
        .library(name: "LatticeFaults", targets: ["LatticeFaults"]),
        .library(name: "LatticeTesting", targets: ["LatticeTesting"]),
        .executable(name: "checksums", targets: ["checksums"]),
        .executable(name: "farm", targets: ["farm"]),
        .executable(name: "lattice-bench", targets: ["lattice-bench"]),
        .executable(name: "latticectl", targets: ["latticectl"]),
        .executable(name: "search", targets: ["search"]),
        .executable(name: "tally", targets: ["tally"]),
        .executable(name: "todos", targets: ["todos"]),
        .executable(name: "wordindex", targets: ["wordindex"]),
    ],
    traits: [
        .trait(
            name: "Programs",
            description: "The examples, latticectl and lattice-bench, and the packages that only they need.",
            enabledTraits: ["Metrics", "Tracing"]
        ),
        .trait(name: "Metrics", description: "LatticeMetrics, and swift-metrics, which only it needs."),
        .trait(name: "Tracing", description: "LatticeTracing, and swift-distributed-tracing, which only it needs."),
        .default(enabledTraits: ["Programs", "Metrics", "Tracing"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        // Without its trait, which links another half of Foundation.
        .package(url: "https://github.com/pointfreeco/swift-custom-dump", from: "1.7.3", traits: []),
        .package(url: "https://github.com/pointfreeco/xctest-dynamic-overlay", from: "1.13.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", "600.0.0"..<"604.0.0"),
    ],
    targets: [
        // What threads share. Below everything, and below it nothing.
        .target(name: "CLatticeThreads"),
        .target(
            name: "LatticeConcurrency",
            dependencies: [
                "CLatticeThreads", .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ]
        ),
        // Values as bytes.
        .target(name: "LatticeCoding", dependencies: ["CLatticeThreads"]),
        // Values that know what has changed in them.
        .target(
            name: "LatticeCollections",
            dependencies: ["CLatticeThreads", "LatticeCoding", "LatticeConcurrency"]
        ),

        // The data flow.
        .target(
            name: "LatticeCore",
            dependencies: [
                "CLatticeThreads", "LatticeCoding", "LatticeCollections", "LatticeConcurrency",
                .product(name: "IssueReporting", package: "xctest-dynamic-overlay"),
            ]
        ),
        // Nothing but Lattice and tests depends on the macros, so that what else is built needs no swift-syntax.
        .target(name: "Lattice", dependencies: ["LatticeCore", "LatticeMacros"]),
        .macro(
            name: "LatticeMacros",
            dependencies: [
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
                .product(name: "SwiftDiagnostics", package: "swift-syntax"),
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftParserDiagnostics", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
            ]
        ),

        // For tests of features. `IssueReportingTestSupport` is what turns a reported issue into a failed test.
        .target(
            name: "LatticeTesting",
            dependencies: [
                "LatticeActors", "LatticeCalls", "LatticeCoding", "LatticeConcurrency", "LatticeCore", "LatticeFaults",
                "LatticeHosting", "LatticeSession", "LatticeTransport", "LatticeWire", "LatticeWorker",
                .product(name: "CustomDump", package: "swift-custom-dump"),
                .product(name: "IssueReporting", package: "xctest-dynamic-overlay"),
                .product(name: "IssueReportingTestSupport", package: "xctest-dynamic-overlay"),
            ]
        ),

        // What goes wrong by plan, in tests and in experiments: without what only tests need.
        .target(
            name: "LatticeFaults",
            dependencies: [
                "LatticeClient", "LatticeConcurrency", "LatticeCoordinator", "LatticeCore", "LatticeProcess",
                "LatticeSession", "LatticeTransport",
            ]
        ),

        // The wire and the sockets.
        .target(name: "LatticeWire", dependencies: ["LatticeCoding", "LatticeConcurrency"]),
        .target(name: "CLatticeSystem", dependencies: ["CLatticeThreads"]),
        .target(
            name: "LatticeTransport",
            dependencies: [
                "CLatticeSystem", "LatticeConcurrency",
                .product(name: "DequeModule", package: "swift-collections"),
            ]
        ),
        // The programs that a coordinator starts.
        .target(
            name: "LatticeProcess",
            dependencies: ["CLatticeSystem", "LatticeConcurrency", "LatticeTransport"]
        ),
        .target(
            name: "LatticeSession",
            dependencies: [
                "LatticeCoding", "LatticeConcurrency", "LatticeTransport", "LatticeWire",
                .product(name: "DequeModule", package: "swift-collections"),
            ]
        ),

        // The calls of actors, on one channel of a session.
        .target(
            name: "LatticeCalls",
            dependencies: [
                "LatticeCoding", "LatticeConcurrency", "LatticeSession", "LatticeTransport", "LatticeWire",
                .product(name: "DequeModule", package: "swift-collections"),
            ]
        ),

        // Where the data flow meets the sessions.
        .target(
            name: "LatticeHosting",
            dependencies: [
                "LatticeCalls", "LatticeCoding", "LatticeConcurrency", "LatticeCore", "LatticeSession",
                "LatticeTransport", "LatticeWire",
            ]
        ),

        // Distributed actors over the same sessions.
        .target(
            name: "LatticeActors",
            dependencies: [
                "LatticeCalls", "LatticeCoding", "LatticeConcurrency", "LatticeCore", "LatticeHosting",
                "LatticeSession", "LatticeWire",
                .product(name: "DequeModule", package: "swift-collections"),
            ]
        ),

        // The three placements.
        .target(
            name: "LatticeWorker",
            dependencies: [
                "LatticeCalls", "LatticeCoding", "LatticeConcurrency", "LatticeCore", "LatticeHosting",
                "LatticeProcess", "LatticeSession", "LatticeTransport", "LatticeWire",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "LatticeCoordinator",
            dependencies: [
                "LatticeCalls", "LatticeCoding", "LatticeConcurrency", "LatticeCore", "LatticeHosting",
                "LatticeProcess", "LatticeSession", "LatticeTransport", "LatticeWire",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "LatticeClient",
            dependencies: [
                "LatticeCalls", "LatticeConcurrency", "LatticeCore", "LatticeHosting", "LatticeSession",
                "LatticeTransport", "LatticeWire",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // Heavy work, on top of actors and supervision.
        .target(
            name: "LatticeJobs",
            dependencies: [
                "LatticeActors", "LatticeCalls", "LatticeCoding", "LatticeConcurrency", "LatticeCoordinator",
                "LatticeCore", "LatticeProcess", "LatticeTransport",
                .product(name: "HeapModule", package: "swift-collections"),
            ]
        ),

        // Looks into running coordinators, without the types of features.
        .target(
            name: "LatticeControl",
            dependencies: [
                "LatticeCalls", "LatticeCoding", "LatticeConcurrency", "LatticeProcess", "LatticeSession",
                "LatticeTransport",
                "LatticeWire",
            ]
        ),

        // Metrics of coordinators, workers and clients, and an endpoint for Prometheus.
        .target(
            name: "LatticeMetrics",
            dependencies: [
                "LatticeConcurrency", "LatticeCore", "LatticeTransport",
                .product(name: "CoreMetrics", package: "swift-metrics", condition: metrics),
            ]
        ),

        // Spans of events, turns, effects, calls and restarts.
        .target(
            name: "LatticeTracing",
            dependencies: [
                "LatticeConcurrency", "LatticeCore",
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: tracing),
            ]
        ),

        // A coordinator as a service of systemd.
        .target(name: "LatticeSystemd", dependencies: ["LatticeConcurrency", "LatticeProcess", "LatticeTransport"]),

        // Programs, and what the two of Sources have in common.
        .target(name: "LatticeToolSupport"),
        .target(name: "CCounters"),
        // The charts of benchmarks, as values that tests can check.
        .target(name: "LatticeCharts"),
        .target(
            name: "LatticeChaos",
            dependencies: [
                "LatticeActors", "LatticeCalls", "LatticeClient", "LatticeConcurrency", "LatticeCoordinator",
                "LatticeCore", "LatticeFaults", "LatticeJobs", "LatticeSession",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .executableTarget(
            name: "latticectl",
            dependencies: [
                "LatticeChaos", "LatticeConcurrency", "LatticeControl", "LatticeFaults", "LatticeToolSupport",
                "LatticeWorker",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: programs),
            ]
        ),
        .executableTarget(
            name: "lattice-bench",
            dependencies: [
                "CCounters", "LatticeActors", "LatticeCalls", "LatticeCharts", "LatticeClient", "LatticeCoding",
                "LatticeConcurrency", "LatticeControl", "LatticeCoordinator", "LatticeCore", "LatticeHosting",
                "LatticeJobs", "LatticeMetrics", "LatticeProcess", "LatticeSession", "LatticeToolSupport",
                "LatticeTracing",
                "LatticeTransport", "LatticeWire", "LatticeWorker",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: programs),
                .product(name: "Histogram", package: "hdrhistogram-swift", condition: programs),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: programs),
            ]
        ),
        // What the examples that run in several processes have in common, the smallest one aside.
        .target(
            name: "ExampleSupport",
            dependencies: [
                "LatticeClient", "LatticeCoordinator", "LatticeCore", "LatticeJobs", "LatticeWorker",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: programs),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: programs),
            ],
            path: "Examples/Support"
        ),
        .executableTarget(name: "tally", dependencies: ["TallyProgram"], path: "Examples/Tally/Main"),
        .target(
            name: "TallyProgram",
            dependencies: [
                "ExampleSupport", "LatticeClient", "LatticeCoordinator", "LatticeCore",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: programs),
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Examples/Tally",
            exclude: ["Main", "README.md"]
        ),
        .executableTarget(name: "checksums", dependencies: ["ChecksumsProgram"], path: "Examples/Checksums/Main"),
        .target(
            name: "ChecksumsProgram",
            dependencies: [
                "CSHA256", "ExampleSupport", "LatticeActors", "LatticeClient", "LatticeCoordinator", "LatticeCore",
                "LatticeWorker",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: programs),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Examples/Checksums",
            exclude: ["CSHA256", "Main", "README.md"]
        ),
        .target(name: "CSHA256", path: "Examples/Checksums/CSHA256"),
        .executableTarget(
            name: "farm",
            dependencies: [
                "ExampleSupport", "LatticeActors", "LatticeCoordinator", "LatticeJobs", "LatticeWorker",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: programs),
            ],
            path: "Examples/Farm",
            exclude: ["README.md"]
        ),
        .executableTarget(name: "todos", dependencies: ["TodosProgram"], path: "Examples/Todos/Main"),
        .target(
            name: "TodosProgram",
            dependencies: [
                "ExampleSupport", "LatticeClient", "LatticeCoordinator", "LatticeCore",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: programs),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: programs),
            ],
            path: "Examples/Todos",
            exclude: ["Main", "README.md"]
        ),
        .executableTarget(name: "wordindex", dependencies: ["IndexProgram"], path: "Examples/Index/Main"),
        .target(
            name: "IndexProgram",
            dependencies: [
                "ExampleSupport", "Lattice", "LatticeCoordinator", "LatticeCore",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: programs),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: programs),
            ],
            path: "Examples/Index",
            exclude: ["Main", "README.md"]
        ),
        .executableTarget(
            name: "counter",
            dependencies: ["LatticeCoordinator", "LatticeCore", "LatticeWorker"],
            path: "Examples/Counter",
            exclude: ["README.md"]
        ),
        // The package that `latticectl new` writes.
        .target(
            name: "StarterFeature",
            dependencies: ["LatticeCore"],
            path: "Examples/Starter/Sources/StarterFeature"
        ),
        .executableTarget(
            name: "StarterProgram",
            dependencies: ["LatticeClient", "LatticeCoordinator", "LatticeCore", "LatticeWorker", "StarterFeature"],
            path: "Examples/Starter/Sources/StarterProgram"
        ),
        .testTarget(
            name: "StarterFeatureTests",
            dependencies: ["LatticeCore", "StarterFeature"],
            path: "Examples/Starter/Tests/StarterFeatureTests"
        ),
        .executableTarget(
            name: "service",
            dependencies: ["LatticeCoordinator", "LatticeCore", "LatticeSystemd", "LatticeWorker"],
            path: "Examples/Service",
            exclude: ["README.md", "service.conf", "service.service", "service.socket"]
        ),
        .executableTarget(
            name: "search",
            dependencies: [
                "SearchProgram",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: programs),
            ],
            path: "Examples/Search/Main"
        ),
        .target(
            name: "SearchProgram",
            dependencies: [
                "Lattice",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: programs),
            ],
            path: "Examples/Search",
            exclude: ["Main", "README.md"]
        ),

        // Tests, with the folders of Sources.
        .testTarget(
            name: "LatticeConcurrencyTests",
            dependencies: ["CLatticeThreads", "CTestWidth", "LatticeConcurrency"]
        ),
        .testTarget(
            name: "LatticeCollectionsTests",
            dependencies: ["ByteTestSupport", "LatticeCoding", "LatticeCollections", "LatticeCore"]
        ),
        .testTarget(
            name: "LatticeCoreTests",
            dependencies: [
                "LatticeCoding", "LatticeCollections", "LatticeConcurrency", "LatticeCore", "LatticeTestSupport",
                "LatticeTesting",
                .product(name: "IssueReportingTestSupport", package: "xctest-dynamic-overlay"),
            ]
        ),
        .testTarget(
            name: "LatticeTestingTests",
            dependencies: [
                "LatticeActors", "LatticeConcurrency", "LatticeCore", "LatticeTestSupport", "LatticeTesting",
                .product(name: "IssueReporting", package: "xctest-dynamic-overlay"),
            ]
        ),
        .testTarget(
            name: "LatticeFaultsTests",
            dependencies: [
                "LatticeCoding", "LatticeCore", "LatticeFaults", "LatticeSession", "LatticeTestSupport",
                "LatticeTransport", "LatticeWire",
            ]
        ),
        .testTarget(
            name: "LatticeChaosTests",
            dependencies: ["LatticeActors", "LatticeChaos", "LatticeCore", "LatticeFaults", "LatticeJobs"]
        ),
        .testTarget(name: "LatticeChartsTests", dependencies: ["LatticeCharts"]),
        .testTarget(name: "SearchTests", dependencies: ["Lattice", "LatticeTesting", "SearchProgram"]),
        .testTarget(name: "LatticeTests", dependencies: ["Lattice", "LatticeActors", "LatticeCoding", "LatticeWire"]),
        // Built as new app targets are, where what says nothing belongs to the main actor.
        .testTarget(name: "LatticeMainActorTests", dependencies: ["Lattice", "LatticeActors", "LatticeTesting"]),
        // Runs the macros as a program. If it linked them, SwiftPM would build all test targets, and all that they
        // link, for the host and once more for the target.
        .testTarget(name: "LatticeMacrosTests"),
        .testTarget(
            name: "LatticeCodingTests",
            dependencies: ["ByteTestSupport", "LatticeCoding", "LatticeConcurrency", "LatticeCore"]
        ),
        .testTarget(
            name: "LatticeWireTests",
            dependencies: ["ByteTestSupport", "LatticeCoding", "LatticeCore", "LatticeWire"]
        ),
        // What tests of bytes and of chance have in common.
        .target(name: "ByteTestSupport", path: "Tests/ByteTestSupport"),
        .testTarget(
            name: "LatticeTransportTests",
            dependencies: [
                "CLatticeSystem", "LatticeFaults", "LatticeTestSupport", "LatticeTransport",
            ]
        ),
        .testTarget(
            name: "LatticeProcessTests",
            dependencies: [
                "CLatticeSystem", "LatticeConcurrency", "LatticeProcess", "LatticeTestSupport", "LatticeTransport",
            ]
        ),
        .testTarget(
            name: "LatticeSessionTests",
            dependencies: [
                "LatticeCoding", "LatticeConcurrency", "LatticeCore", "LatticeProcess", "LatticeSession",
                "LatticeTestSupport", "LatticeTransport", "LatticeWire",
            ]
        ),
        .testTarget(
            name: "LatticeCallsTests",
            dependencies: [
                "LatticeCalls", "LatticeConcurrency", "LatticeCore", "LatticeSession", "LatticeTestSupport",
                "LatticeTransport", "LatticeWire",
            ]
        ),
        .testTarget(
            name: "LatticeActorsTests",
            dependencies: [
                "ByteTestSupport", "LatticeActors", "LatticeCalls", "LatticeConcurrency", "LatticeCore",
                "LatticeSession", "LatticeTestSupport", "LatticeTransport", "LatticeWire",
            ]
        ),
        .testTarget(
            name: "LatticeJobsTests",
            dependencies: [
                "ByteTestSupport", "LatticeActors", "LatticeCoding", "LatticeConcurrency", "LatticeCore", "LatticeJobs",
            ]
        ),
        .testTarget(
            name: "LatticeHostingTests",
            dependencies: [
                "LatticeCalls", "LatticeCore", "LatticeHosting", "LatticeSession", "LatticeTestSupport",
                "LatticeTransport", "LatticeWire",
            ]
        ),
        .testTarget(
            name: "LatticeWorkerTests",
            dependencies: [
                "LatticeCalls", "LatticeCoding", "LatticeConcurrency", "LatticeCore", "LatticeHosting",
                "LatticeSession", "LatticeTestSupport", "LatticeTransport", "LatticeWire", "LatticeWorker",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "LatticeCoordinatorTests",
            dependencies: [
                "LatticeCoding", "LatticeConcurrency", "LatticeControl", "LatticeCoordinator", "LatticeCore",
                "LatticeHosting", "LatticeProcess", "LatticeSession", "LatticeTestSupport", "LatticeTransport",
                "LatticeWire", "LatticeWorker",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "LatticeClientTests",
            dependencies: [
                "LatticeCalls", "LatticeClient", "LatticeCoding", "LatticeConcurrency", "LatticeCore", "LatticeHosting",
                "LatticeSession", "LatticeTestSupport", "LatticeTransport", "LatticeWire",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "LatticeControlTests",
            dependencies: [
                "LatticeConcurrency", "LatticeControl", "LatticeSession", "LatticeTestSupport", "LatticeTransport",
                "LatticeWire",
            ]
        ),
        .testTarget(
            name: "LatticeMetricsTests",
            dependencies: [
                "LatticeConcurrency", "LatticeCoordinator", "LatticeCore", "LatticeMetrics", "LatticeTestSupport",
                "LatticeTransport",
                .product(name: "CoreMetrics", package: "swift-metrics", condition: metrics),
            ]
        ),
        .testTarget(
            name: "LatticeTracingTests",
            dependencies: [
                "LatticeConcurrency", "LatticeCore", "LatticeTracing",
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing", condition: tracing),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: tracing),
            ]
        ),
        .testTarget(
            name: "LatticeSystemdTests",
            dependencies: ["LatticeConcurrency", "LatticeSystemd", "LatticeTestSupport"]
        ),
        // What the tests of sessions have in common.
        .target(
            name: "LatticeTestSupport",
            dependencies: [
                "CProcessEnd", "LatticeCalls", "LatticeConcurrency", "LatticeCore", "LatticeHosting", "LatticeSession",
                "LatticeTransport", "LatticeWire",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/LatticeTestSupport"
        ),
        // A feature whose events are traced, and spans that cross processes.
        .target(
            name: "TracingTestSupport",
            dependencies: [
                "LatticeCore", "LatticeTestSupport",
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing", condition: tracing),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: tracing),
            ],
            path: "Tests/TracingTestSupport"
        ),
        .testTarget(
            name: "ChecksumsTests",
            dependencies: ["ChecksumsProgram", "ExampleSupport", "LatticeActors", "LatticeCore", "LatticeTesting"]
        ),
        .testTarget(name: "TallyTests", dependencies: ["ExampleSupport", "LatticeCore", "TallyProgram"]),
        // A worker that does what no worker should.
        .executableTarget(
            name: "unruly",
            dependencies: [
                "LatticeCore", "LatticeTestSupport", "LatticeWorker", .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Unruly"
        ),
        // A coordinator and a worker with the faults that tests need.
        .executableTarget(
            name: "faulty",
            dependencies: [
                "CProcessEnd", "LatticeConcurrency", "LatticeCoordinator", "LatticeCore", "LatticeTestSupport",
                "LatticeTransport", "LatticeWorker",
            ],
            path: "Tests/Faulty"
        ),
        .testTarget(
            name: "IndexTests",
            dependencies: ["ExampleSupport", "IndexProgram", "LatticeCore"]
        ),
        .testTarget(name: "TodosTests", dependencies: ["ExampleSupport", "LatticeCore", "TodosProgram"]),
        // What the documents show, as code.
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "Lattice", "LatticeActors", "LatticeCalls", "LatticeClient", "LatticeCoding", "LatticeControl",
                "LatticeCoordinator", "LatticeCore", "LatticeHosting", "LatticeJobs", "LatticeMetrics",
                "LatticeSession", "LatticeSystemd", "LatticeTestSupport", "LatticeTesting", "LatticeTracing",
                "LatticeTransport", "LatticeWire", "LatticeWorker",
                .product(name: "CoreMetrics", package: "swift-metrics", condition: metrics),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: programs),
            ]
        ),
        // A program with bad habits, for those tests.
        .executableTarget(
            name: "subject",
            dependencies: ["LatticeCoordinator", "LatticeCore", "LatticeTestSupport", "LatticeWorker"],
            path: "Tests/Subject"
        ),
        // A worker and a client whose events are traced.
        .executableTarget(
            name: "traced",
            dependencies: [
                "LatticeClient", "LatticeCore", "LatticeTracing", "LatticeWorker", "TracingTestSupport",
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing", condition: tracing),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: tracing),
            ],
            path: "Tests/Traced"
        ),
        // A worker that serves actors and runs jobs.
        .executableTarget(
            name: "actorhost",
            dependencies: ["LatticeActors", "LatticeCoordinator", "LatticeCore", "LatticeJobs", "LatticeWorker"],
            path: "Tests/ActorHost"
        ),
        .target(name: "CProcessEnd", path: "Tests/CProcessEnd"),
        // Linked with one target of tests, which is linked with all others.
        .target(name: "CTestWidth", path: "Tests/CTestWidth"),
        // The only one that starts processes: the programs are dependencies so that they are built.
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "ByteTestSupport", "CProcessEnd", "ExampleSupport", "LatticeActors", "LatticeCalls", "LatticeClient",
                "LatticeCoding", "LatticeConcurrency", "LatticeControl", "LatticeCoordinator", "LatticeCore",
                "LatticeFaults", "LatticeJobs", "LatticeMetrics", "LatticeProcess", "LatticeSystemd",
                "LatticeTestSupport", "LatticeTracing", "LatticeTransport", "TracingTestSupport", "actorhost",
                "checksums", "counter", "farm", "faulty", "lattice-bench", "latticectl", "search", "service", "subject",
                "tally", "traced", "unruly",
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing", condition: tracing),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: programs),
            ]
        ),
    ]
)

// Parts that a build can leave out, each by a variable of the environment that is set to 1.
@MainActor func leaveOut(_ removed: Set<String>) {
    package.products.removeAll { removed.contains($0.name) }
    package.targets.removeAll { removed.contains($0.name) }
    for target in package.targets {
        target.dependencies.removeAll {
            if case .byNameItem(let name, _) = $0 { removed.contains(name) } else { false }
        }
    }
}

// Release builds and sanitizers have no use for the macros, and then not for swift-syntax either.
if Context.environment["LATTICE_WITHOUT_MACROS"] == "1" {
    leaveOut([
        "IndexProgram", "IndexTests", "Lattice", "LatticeMacros", "LatticeMacrosTests", "LatticeMainActorTests",
        "LatticeTests", "SearchProgram", "SearchTests", "search", "wordindex",
    ])
    let needing = [
        "DocumentationTests": ["Snippets"], "EndToEndTests": ["MisuseTests.swift", "SearchProgramTests.swift"],
    ]
    for target in package.targets { target.exclude += needing[target.name] ?? [] }
}

// Sanitizers check the libraries.
if Context.environment["LATTICE_WITHOUT_PROGRAMS"] == "1" {
    let programs = package.targets.filter { $0.type == .executable || $0.path?.hasPrefix("Examples/") == true }
    leaveOut(
        Set(programs.map(\.name)).union([
            "CCounters", "ChecksumsTests", "EndToEndTests", "IndexTests", "LatticeChaos", "LatticeChaosTests",
            "LatticeCharts", "LatticeChartsTests", "LatticeToolSupport", "SearchTests", "TallyTests", "TodosTests",
        ])
    )
}

// A sanitizer runs the tests of some libraries: only the test targets with these names are built.
if let names = Context.environment["LATTICE_TESTS"] {
    let kept = Set(names.split(separator: " ").map(String.init))
    leaveOut(Set(package.targets.filter { $0.type == .test && !kept.contains($0.name) }.map(\.name)))
}

// One place for the language settings, so that no target forgets one.
for target in package.targets where ![.plugin, .system, .binary].contains(target.type) {
    let targetsInC = ["CCounters", "CLatticeSystem", "CLatticeThreads", "CProcessEnd", "CSHA256", "CTestWidth"]
    guard !targetsInC.contains(target.name) else { continue }
    target.swiftSettings = [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .treatAllWarnings(as: .error),
    ]
    if target.name == "LatticeMainActorTests" { target.swiftSettings?.append(.defaultIsolation(MainActor.self)) }
    // Optimising tests, examples and LatticeChaos takes minutes, and checks nothing: the libraries below them are
    // optimised. The flag is set for the builds of this repository only, because a package with unsafe flags cannot be a
    // dependency.
    let isTest = target.type == .test || target.name.hasSuffix("TestSupport")
    let isAbove = isTest || target.path?.hasPrefix("Examples/") == true || target.name == "LatticeChaos"
    if isAbove, Context.environment["LATTICE_WITHOUT_MACROS"] == "1" {
        target.swiftSettings?.append(.unsafeFlags(["-Onone"], .when(configuration: .release)))
    }
}
