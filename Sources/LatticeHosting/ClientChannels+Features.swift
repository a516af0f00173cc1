import LatticeCoding
package import LatticeCore
package import LatticeSession
import LatticeWire

extension ClientChannels {
    /// The worker is gone, and with it what ran there.
    ///
    /// - Parameters:
    ///   - interruption: How it ended, with what is known of that so far.
    ///   - blame: Who may be why, if nothing says that it was from outside.
    ///   - sender: Who this side is, to whom its own events belong.
    @discardableResult
    package func detach(
        interruption: Interruption,
        blame: Blame = .anything,
        sender: EventSender? = nil
    ) -> TerminationVerdict {
        detach(
            interruptedBy: WorkerTermination(
                incarnation: interruption.incarnation,
                cause: WireCause(interruption.cause),
                sentence: "\(interruption.cause)",
                blame: interruption.cause.isWorkersOwn ? blame : .nobody
            ),
            telling: CrashReport.longestList
        ) { work in
            interruption.report.map { TerminationReport($0.with(work, of: sender)) }
        }
    }

    /// Nobody will answer any more.
    package func close(reason: String, interruption: Interruption) {
        close(ChannelEnd(reason: reason), interruption: WireOutcome(.interrupted(interruption)))
    }

    package func report(_ host: HostStatus) {
        var coordinator: UInt64?
        if case .serving(let serving) = host { coordinator = serving.coordinator }
        report(ChannelUpdate.HostReport(status: HostStatusMessage(host), coordinator: coordinator))
    }
}

extension CrashReport {
    /// The same with what was unfinished.
    ///
    /// - Parameter sender: Whose events those are that are nobody else's.
    fileprivate func with(_ work: UnfinishedWork, of sender: EventSender?) -> CrashReport {
        func id(_ event: UnfinishedWork.Event) -> EventID? {
            let name = event.name ?? sender.map { $0.name(of: event.number, on: event.channel) }
            return name.map { EventID($0, of: event.subject) }
        }
        return CrashReport(
            group: group,
            incarnation: incarnation,
            processID: processID,
            lifetime: lifetime,
            output: output,
            turn: work.turn.flatMap(id),
            events: work.lastEvents(Self.longestList).compactMap(id),
            effects: Array(work.effects.sorted().prefix(Self.longestList))
        )
    }
}

extension UnfinishedWork {
    /// The last of all channels, taken by turns: each may hold the one that matters.
    fileprivate func lastEvents(_ most: Int) -> [Event] {
        let turns = (0..<most).lazy.flatMap { turn in
            events.lazy.filter { $0.count > turn }.map { $0[$0.count - 1 - turn] }
        }
        return turns.prefix(most).reversed()
    }
}

extension EventSender {
    /// The name of an event that it has sent itself.
    package func name(of event: UInt64, on channel: UInt32) -> EventName {
        EventName(origin: EventName.Origin(sender: value, channel: channel), number: event)
    }
}

extension EventID {
    package init(_ name: EventName, of subject: ChannelClient.Subject) {
        let origin = EventOrigin(
            sender: EventSender(name.origin.sender),
            channel: name.origin.channel,
            feature: subject.feature,
            instance: subject.instance
        )
        self.init(origin: origin, number: name.number)
    }
}

extension PoisonedEvent {
    /// Tells whoever sent it that it is in quarantine, after a death by this cause. Once.
    ///
    /// - Parameter report: What is known of that death.
    package func reject(after cause: Interruption.Cause, report: TerminationReport?) {
        end(as: WireOutcome(.rejected(.quarantined(after: cause))), report: report)
    }
}

extension EventRejection {
    fileprivate static func quarantined(after cause: Interruption.Cause) -> EventRejection {
        EventRejection(
            code: .quarantined,
            reason: "two lives of its worker have ended in its turn, or while nothing else was on its way, the last"
                + " time: \(cause); find out why before it is sent again"
        )
    }
}

extension ChannelClient.Subject {
    /// At view level: whatever the state and the configuration are, the other side has them.
    package init(_ feature: any HostedFeature.Type, instance: String) {
        self.init(feature: feature.identifier, schema: feature.schema, instance: instance, restoresState: false)
    }

    /// At domain level: what a worker is to run, where and how the context says.
    ///
    /// - Throws: `ConfigurationError` for a configuration that cannot be sent.
    package init<Feature: HostedFeature>(_ feature: Feature.Type, in context: HostContext) throws(ConfigurationError) {
        self.init(
            feature: feature.identifier,
            schema: feature.schema,
            instance: context.instance,
            restoresState: true,
            configuration: try context.encodedConfiguration(of: feature)
        )
    }
}

extension HostContext {
    fileprivate func encodedConfiguration<Feature: HostedFeature>(
        of feature: Feature.Type
    ) throws(ConfigurationError) -> [UInt8]? {
        guard let configuration = given(feature) else { return nil }
        let problem: String
        do {
            let bytes = try CBOREncoder().encode(configuration)
            let most = MessageLimits.maximumConfiguration
            guard bytes.count > most else { return bytes }
            problem = "has \(bytes.count) bytes, and at most \(most) are sent; put what is large into a file"
        } catch {
            problem = "cannot be encoded \(CodingFailure.sentence(error))"
        }
        throw ConfigurationError(message: "the configuration of \"\(feature.identifier)\" \(problem)")
    }
}
