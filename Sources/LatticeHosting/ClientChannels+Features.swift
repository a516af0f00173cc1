import LatticeCoding
package import LatticeCore
package import LatticeSession
import LatticeWire

extension ClientChannels {
    /// Detaches from a worker that terminated, along with everything that ran in it.
    ///
    /// - Parameters:
    ///   - interruption: The termination, with the details that are known so far.
    ///   - blame: The possible culprits, unless the cause of the interruption was outside the worker.
    ///   - sender: The identity of this process, to which its own events belong.
    /// - Returns: The consequences of the termination.
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
            reportLimit: CrashReport.longestList
        ) { work in
            interruption.report.map { TerminationReport($0.with(work, of: sender)) }
        }
    }

    /// Closes all channels, because no peer will answer any more.
    ///
    /// - Parameters:
    ///   - reason: A sentence that explains the reason and says what to do.
    ///   - interruption: The outcome of running events.
    package func close(reason: String, interruption: Interruption) {
        close(ChannelEnd(reason: reason), interruption: WireOutcome(.interrupted(interruption)))
    }

    /// Delivers the status of the process that runs the features to all channels. You can call it on any thread.
    package func report(_ host: HostStatus) {
        var coordinator: UInt64?
        if case .serving(let serving) = host { coordinator = serving.coordinator }
        report(ChannelUpdate.HostReport(status: HostStatusMessage(host), coordinator: coordinator))
    }
}

extension CrashReport {
    /// Returns this report with the unfinished work.
    ///
    /// - Parameters:
    ///   - work: The unfinished work.
    ///   - sender: The identity of this process, to which events without a name belong.
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
    /// Returns the last events of all channels. The channels take turns, because the event that matters may be on any
    /// of them.
    fileprivate func lastEvents(_ maximum: Int) -> [Event] {
        let latestFirst = (0..<maximum).lazy.flatMap { index in
            events.lazy.filter { $0.count > index }.map { $0[$0.count - 1 - index] }
        }
        return latestFirst.prefix(maximum).reversed()
    }
}

extension EventSender {
    /// Returns the name of an event that this sender has sent itself.
    package func name(of event: UInt64, on channel: UInt32) -> EventName {
        EventName(origin: EventName.Origin(sender: value, channel: channel), number: event)
    }
}

extension EventID {
    /// Creates the ID of an event from its name and the feature of its channel.
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
    /// Completes the promise of the event with the outcome that it is quarantined. Must be called once.
    ///
    /// - Parameters:
    ///   - cause: The cause of the last termination.
    ///   - report: Details of the last termination, or nil if there are none.
    package func reject(after cause: Interruption.Cause, report: TerminationReport?) {
        end(as: WireOutcome(.rejected(.quarantined(after: cause))), report: report)
    }
}

extension EventRejection {
    fileprivate static func quarantined(after cause: Interruption.Cause) -> EventRejection {
        EventRejection(
            code: .quarantined,
            reason: "Two incarnations of the worker ended in the turn of this event, or while it was the only event in"
                + " flight, the last time: \(cause). Find out why before you send it again."
        )
    }
}

extension ChannelClient.Subject {
    /// Creates the subject of a view-level channel. The peer already has the state and the configuration.
    package init(_ feature: any HostedFeature.Type, instance: String) {
        self.init(feature: feature.identifier, schema: feature.schema, instance: instance, restoresState: false)
    }

    /// Creates the subject of a domain-level channel to a worker. The context determines the instance and the
    /// configuration.
    ///
    /// - Throws: `ConfigurationError` if the configuration cannot be sent.
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
            let maximum = MessageLimits.maximumConfiguration
            guard bytes.count > maximum else { return bytes }
            problem = "has \(bytes.count) bytes, but at most \(maximum) bytes can be sent. Put large data into a file."
        } catch {
            problem = "cannot be encoded: \(CodingFailure.sentence(error))"
        }
        throw ConfigurationError(message: "The configuration of \"\(feature.identifier)\" \(problem)")
    }
}
