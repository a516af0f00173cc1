import Foundation
import LatticeClient
import LatticeCoding
import LatticeCore
import LatticeHosting
import LatticeWire
import Testing

@testable import LatticeActors
@testable import LatticeCalls
@testable import LatticeCoordinator
@testable import LatticeSession
@testable import LatticeTransport
@testable import LatticeWorker

/// The tables of section 16 of the protocol's text say what the code does.
@MainActor @Suite struct LimitsTableTests {
    private static let limits: [(name: String, value: Int)] = [
        ("FrameLimits.maximumBody", FrameLimits.maximumBody),
        ("FrameLimits.maximumHandshake", FrameLimits.maximumHandshake),
        ("FrameLimits.handshakeMilliseconds", Int(FrameLimits.handshakeMilliseconds)),
        ("FrameLimits.maximumMessage", FrameLimits.maximumMessage),
        ("FrameLimits.maximumAssembly", FrameLimits.maximumAssembly),
        ("FrameLimits.maximumAssemblies", FrameLimits.maximumAssemblies),
        ("FrameLimits.maximumTightGrowths", FrameLimits.maximumTightGrowths),
        ("FrameLimits.maximumPart", FrameLimits.maximumPart),
        ("FrameLimits.firstParts", FrameLimits.firstParts),
        ("FrameLimits.maximumPartAssembly", FrameLimits.maximumPartAssembly),
        ("CBORLimits.maximumDepth", CBORLimits.maximumDepth),
        ("MessageLimits.maximumFeatures", MessageLimits.maximumFeatures),
        ("MessageLimits.maximumFeatureBytes", MessageLimits.maximumFeatureBytes),
        ("MessageLimits.maximumIdentifier", MessageLimits.maximumIdentifier),
        ("MessageLimits.maximumInstance", MessageLimits.maximumInstance),
        ("MessageLimits.maximumConfiguration", MessageLimits.maximumConfiguration),
        ("MessageLimits.maximumToken", MessageLimits.maximumToken),
        ("MessageLimits.maximumBuild", MessageLimits.maximumBuild),
        ("MessageLimits.maximumIdentity", MessageLimits.maximumIdentity),
        ("MessageLimits.maximumSentence", MessageLimits.maximumSentence),
        ("MessageLimits.maximumRejectionValue", MessageLimits.maximumRejectionValue),
        ("MessageLimits.maximumHistory", MessageLimits.maximumHistory),
        ("MessageLimits.maximumSection", MessageLimits.maximumSection),
        ("MessageLimits.maximumFilter", MessageLimits.maximumFilter),
        ("MessageLimits.maximumPlaces", MessageLimits.maximumPlaces),
        ("MessageLimits.maximumRowKeys", MessageLimits.maximumRowKeys),
        ("MessageLimits.maximumRows", MessageLimits.maximumRows),
        ("MessageLimits.maximumArguments", MessageLimits.maximumArguments),
        ("MessageLimits.maximumEffects", MessageLimits.maximumEffects),
        ("MessageLimits.maximumBegunEffects", MessageLimits.maximumBegunEffects),
        ("MessageLimits.maximumEndedEffects", MessageLimits.maximumEndedEffects),
        ("MessageLimits.maximumEffectName", MessageLimits.maximumEffectName),
        ("MessageLimits.maximumOutput", MessageLimits.maximumOutput),
        ("MessageLimits.maximumCancelReason", MessageLimits.maximumCancelReason),
        ("MessageLimits.maximumLine", MessageLimits.maximumLine),
        ("MessageLimits.maximumReported", MessageLimits.maximumReported),
        ("MessageLimits.maximumCauses", MessageLimits.maximumCauses),
        ("MessageLimits.maximumRecoveries", Int(MessageLimits.maximumRecoveries)),
        ("MessageLimits.maximumMethod", MessageLimits.maximumMethod),
        ("MessageLimits.maximumSubstitutions", MessageLimits.maximumSubstitutions),
        ("MessageLimits.maximumServers", MessageLimits.maximumServers),
        ("MessageLimits.maximumStableMethods", MessageLimits.maximumStableMethods),
        ("CallLimits.maximumCalls", CallLimits.maximumCalls),
        ("MessageLimits.maximumTrace", MessageLimits.maximumTrace),
        ("MessageLimits.maximumTraceEntry", MessageLimits.maximumTraceEntry),
        ("CallLimits.streamWindow", CallLimits.streamWindow),
        ("CallLimits.maximumElement", CallLimits.maximumElement),
        ("FeatureAnswering.maximumAnswers", FeatureAnswering.maximumAnswers),
        ("ClientConnection.maximumQuestions", ClientConnection.maximumQuestions),
        ("OneWayCalls.maximum", OneWayCalls.maximum),
        ("OneWayCalls.maximumWaiting", OneWayCalls.maximumWaiting),
        ("CallLimits.maximumBacklog", CallLimits.maximumBacklog),
        ("CallLimits.maximumArguments", CallLimits.maximumArguments),
        ("CallLimits.backlogThreshold", CallLimits.backlogThreshold),
        ("CallLimits.maximumNames", CallLimits.maximumNames),
        ("CallLimits.maximumAbsentNodes", CallLimits.maximumAbsentNodes),
        ("CallLimits.maximumWatches", CallLimits.maximumWatches),
        ("CallLimits.maximumWaiters", CallLimits.maximumWaiters),
        ("ActorNode.cancelTimeout", milliseconds(ActorNode.cancelTimeout)),
        ("NamedEffectLedger.longestHeld", NamedEffectLedger.longestHeld),
        ("MessageLimits.maximumProgram", MessageLimits.maximumProgram),
        ("MessageLimits.maximumOrigins", MessageLimits.maximumOrigins),
        ("ChannelLimits.maximumEvents", ChannelLimits().maximumEvents),
        ("ChannelLimits.maximumEventBytes", ChannelLimits().maximumEventBytes),
        ("ChannelLimits.maximumHeldCompletions", ChannelLimits().maximumHeldCompletions),
        ("ChannelLimits.maximumChanges", ChannelLimits().maximumChanges),
        ("ChannelLimits.maximumChangeBytes", ChannelLimits().maximumChangeBytes),
        ("ChannelLimits.maximumRunning", ChannelLimits().maximumRunning),
        ("WriteQueueLimits.maximumBytes", WriteQueueLimits().maximumBytes),
        ("WriteQueueLimits.wholeBytes", WriteQueueLimits().wholeBytes),
        ("CodingThreads.largeBytes", CodingThreads.largeBytes),
        ("WriteQueueLimits.batchBytes", WriteQueueLimits().batchBytes),
        ("WriteQueueLimits.roomBytes", WriteQueueLimits().roomBytes),
        ("WriteQueueLimits.maximumUnfinished", WriteQueueLimits().maximumUnfinished),
        ("WriteQueueLimits.maximumUnfinishedBytes", WriteQueueLimits().maximumUnfinishedBytes),
        ("ChannelLimits.maximumAction", ChannelLimits().maximumAction),
        ("ChannelLimits.maximumState", ChannelLimits().maximumState),
        ("FrameLimits.maximumSharedAssembly", FrameLimits.maximumSharedAssembly),
        ("FrameLimits.freeAssembly", FrameLimits.freeAssembly),
        ("WorkerHost.maximumChannels", WorkerHost.maximumChannels),
        ("EffectWatch.stallTimeout", milliseconds(EffectWatch.stallTimeout)),
        ("RestartPolicy.bootTimeout", milliseconds(RestartPolicy().bootTimeout)),
        ("CoordinatorConfiguration.heartbeatInterval", milliseconds(CoordinatorConfiguration().heartbeatInterval)),
        ("CoordinatorConfiguration.heartbeatTimeout", milliseconds(CoordinatorConfiguration().heartbeatTimeout)),
        ("CoordinatorConfiguration.drainTimeout", milliseconds(CoordinatorConfiguration().drainTimeout)),
        ("CoordinatorConfiguration.teardownTimeout", milliseconds(CoordinatorConfiguration().teardownTimeout)),
        ("CoordinatorConfiguration.openTimeout", milliseconds(CoordinatorConfiguration().openTimeout)),
        ("RestartPolicy.intensity.restarts", RestartPolicy().intensity.restarts),
        ("PoisonedEvent.maximumIncarnations", PoisonedEvent.maximumIncarnations),
        ("Quarantine.maximumEvents", Quarantine.maximumEvents),
        ("Quarantine.maximumBytes", Quarantine.maximumBytes),
        ("RestartPolicy.intensity.period", milliseconds(RestartPolicy().intensity.period)),
        ("RestartPolicy.maximumFailedStarts", RestartPolicy().maximumFailedStarts),
        ("RestartPolicy.maximumAnsweredDeaths", RestartPolicy().maximumAnsweredDeaths),
        ("RestartPolicy.probeDelay", milliseconds(RestartPolicy().probeDelay ?? .zero)),
        ("RestartPolicy.stableTime", milliseconds(RestartPolicy().stableTime)),
        ("RestartPolicy.initialDelay", milliseconds(RestartPolicy().initialDelay)),
        ("RestartPolicy.maximumDelay", milliseconds(RestartPolicy().maximumDelay)),
        ("RestartBudget.maximumLackDelay", milliseconds(RestartBudget.maximumLackDelay)),
        ("WorkerSupervisor.cancelTimeout", milliseconds(WorkerSupervisor.cancelTimeout)),
        ("CrashReport.longestList", CrashReport.longestList),
        ("OutputTail.maximumLines", OutputTail.maximumLines),
        ("OutputTail.maximumLineBytes", OutputTail.maximumLineBytes),
        ("MemoryWatch.interval", Int(MemoryWatch.interval)),
        ("WorkerLimits.defaultTurnTimeout", milliseconds(WorkerLimits.defaultTurnTimeout)),
        ("WorkerLimits.minimumTurnTimeout", milliseconds(WorkerLimits.minimumTurnTimeout)),
        ("WorkerLimits.minimumCallTimeout", milliseconds(WorkerLimits.minimumCallTimeout)),
        ("WorkerLimits.minimumMemoryBytes", WorkerLimits.minimumMemoryBytes),
        ("WorkerLimits.minimumOpenFiles", WorkerLimits.minimumOpenFiles),
        ("RuntimeLimits.actionsPerTurn", RuntimeLimits.actionsPerTurn),
        ("RuntimeLimits.sendsBehindTurn", RuntimeLimits.sendsBehindTurn),
        ("DescriptorBudget.maximumRefusals", DescriptorBudget.maximumRefusals),
        ("DescriptorBudget.maximumTools", DescriptorBudget.maximumTools),
        ("DescribeQueue.maximumPerSession", DescribeQueue<Int, Int, Int>.maximumPerSession),
        ("DescriptionSubscriptions.maximumPerSession", DescriptionSubscriptions<Int>.maximumPerSession),
        ("DescriptionSubscriptions.maximumOfClients", DescriptionSubscriptions<Int>.maximumOfClients),
        ("SubscriptionLimits.intervals", Int(SubscriptionLimits.intervals.lowerBound)),
        ("SubscriptionLimits.rates", Int(SubscriptionLimits.rates.lowerBound)),
        ("SubscriptionLimits.queues", Int(SubscriptionLimits.queues.lowerBound)),
        ("SubscriptionPace.foldedInterval", milliseconds(SubscriptionPace.foldedInterval)),
        ("OperationQueue.maximumPerSession", OperationQueue<Int, Int>.maximumPerSession),
        ("OperationQueue.maximum", OperationQueue<Int, Int>.maximum),
        ("Operator.maximumRows", Operator.maximumRows),
        ("DescriptionLimits.maximumRows", DescriptionLimits.maximumRows),
        ("LogHistory.maximumOutput", LogHistory.maximumOutput),
        ("LogHistory.maximumOutputBytes", LogHistory.maximumOutputBytes),
        ("LogHistory.maximumEnds", LogHistory.maximumEnds),
        ("LogHistory.maximumEndBytes", LogHistory.maximumEndBytes),
        ("LogHistory.maximumReports", LogHistory.maximumReports),
        ("LogHistory.maximumReportBytes", LogHistory.maximumReportBytes),
        ("LogHistory.maximumRecords", LogHistory.maximumRecords),
        ("LogHistory.maximumRecordBytes", LogHistory.maximumRecordBytes),
        ("TerminationHistory.maximum", TerminationHistory.maximum),
        ("TerminationHistory.maximumPerWorker", TerminationHistory.maximumPerWorker),
        ("SocketFile.backlog", Int(SocketFile.backlog)),
        ("ReconnectPolicy.initialDelay", milliseconds(ReconnectPolicy().initialDelay)),
        ("LogBacklog.maximumLines", LogBacklog<Int>.maximumLines),
        ("LogBacklog.maximumBytes", LogBacklog<Int>.maximumBytes),
        ("LineSplitter.maximumLineBytes", LineSplitter.maximumLineBytes),
        ("DescriptorBudget.maximumClients", DescriptorBudget.maximumClients),
        ("ClientSession.maximumChannels", ClientSession.maximumChannels),
        ("ClientSession.maximumChannelsPerInstance", ClientSession.maximumChannelsPerInstance),
        ("CoordinatorConfiguration.maximumEventsPerClient", CoordinatorConfiguration().maximumEventsPerClient),
        ("ShareLimits.maximumEvents", ShareLimits().maximumEvents),
        ("ShareLimits.guaranteedEvents", ShareLimits().guaranteedEvents),
        ("ShareLimits.maximumBytes", ShareLimits().maximumBytes),
        ("ShareLimits.guaranteedBytes", ShareLimits().guaranteedBytes),
        ("ShareLimits.maximumInFlight", ShareLimits().maximumInFlight),
        ("ShareLimits.maximumInFlightBytes", ShareLimits().maximumInFlightBytes),
        ("SocketConnection.acceptedBytesPerTick", SocketConnection.acceptedBytesPerTick),
        ("SocketListener.acceptedPerTick", SocketListener.acceptedPerTick),
        ("CoordinatorConfiguration.maximumInstances", CoordinatorConfiguration().maximumInstances),
        ("CoordinatorConfiguration.maximumInstancesPerClient", CoordinatorConfiguration().maximumInstancesPerClient),
        ("SentOutcomes.limit", SentOutcomes.limit),
        ("CoordinatorConfiguration.clientRetention", milliseconds(CoordinatorConfiguration().clientRetention)),
        ("ClientConfiguration.heartbeatInterval", milliseconds(ClientConfiguration().heartbeatInterval)),
        ("ClientConfiguration.heartbeatTimeout", milliseconds(ClientConfiguration().heartbeatTimeout)),
        ("ClientConfiguration.connectTimeout", milliseconds(ClientConfiguration().connectTimeout)),
        ("ClientConfiguration.openTimeout", milliseconds(ClientConfiguration().openTimeout)),
        ("ReconnectPolicy.timeout", milliseconds(ReconnectPolicy().timeout)),
        ("ReconnectPolicy.maximumDelay", milliseconds(ReconnectPolicy().maximumDelay)),
        ("ClientConfiguration.closeTimeout", milliseconds(ClientConfiguration().closeTimeout)),
        ("ReconnectPolicy.stableTime", milliseconds(ReconnectPolicy().stableTime)),
    ]

    private static func milliseconds(_ duration: Duration) -> Int {
        Int(duration / .milliseconds(1))
    }

    @Test("LatticeCore and the wire have the same limits for named effects")
    func namedEffects() {
        #expect(RuntimeLimits.namedEffects == MessageLimits.maximumEffects)
        #expect(RuntimeLimits.effectNameBytes == MessageLimits.maximumEffectName)
        #expect(RuntimeLimits.recoveries == Int(MessageLimits.maximumRecoveries))
    }

    @Test func theTablesOfLimitsHaveTheNumbersOfTheCode() throws {
        let text = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appending(path: "Protocols/lattice-wire-v1.md"),
            encoding: .utf8
        )
        let rest = try #require(text.range(of: "\n## 16. Limits\n").map { text[$0.upperBound...] })
        let section = rest[..<(rest.range(of: "\n## ")?.lowerBound ?? rest.endIndex)]
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { row in
            row.split(separator: "|").prefix(2).map { $0.trimmingCharacters(in: .whitespaces) }
        }
        var stated: [String: Int] = [:]
        for row in rows {
            let name = row[0].trimmingCharacters(in: CharacterSet(charactersIn: "`"))
            let number = row[1].prefix { $0.isNumber || $0 == "," }.filter { $0 != "," }
            #expect(stated.updateValue(try #require(Int(number)), forKey: name) == nil, "\(name) stands there twice")
        }
        for (name, value) in Self.limits { #expect(stated[name] == value, "\(name)") }
        #expect(Set(stated.keys) == Set(Self.limits.map(\.name)))
    }
}
