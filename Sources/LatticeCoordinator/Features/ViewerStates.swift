import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import LatticeWire

/// The view states of an instance whose feature has one for each viewer, independent of the viewers' key.
protocol ViewerSharing<DomainState>: AnyObject, Sendable {
    /// The domain state that all view states are derived from.
    associatedtype DomainState: Sendable

    /// A Boolean value that indicates whether showing the next domain state takes long. Read it on the event loop.
    var isLong: Bool { get }
    /// The sums of all view states. Read it on the event loop.
    var figures: InstanceFigures.View { get }

    /// Sets the closure that is called in order when there is another reason why the clients with these channels keep
    /// an older view state, or none (nil). Call this once, before there are clients.
    ///
    /// - Parameter called: Its second argument says whether this is the only view state with a reason.
    func onProblem(_ called: @escaping @Sendable (String?, _ isFirst: Bool, [ChannelServer]) -> Void)

    /// Shows a domain state to all clients. Call it in an operation of the order.
    ///
    /// - Parameter number: The number up to which events that were forwarded to the worker are contained in it.
    func show(_ domainState: DomainState, throughForwarded number: UInt64)

    /// Shows a domain state to all clients. Coding threads reduce and encode it. Call it in an operation of the order.
    ///
    /// - Parameter then: The part that follows, on the event loop.
    /// - Returns: The next part.
    func showInParts(
        _ domainState: DomainState,
        throughForwarded number: UInt64,
        then: @escaping SharingQueue.Operation
    ) -> SharingQueue.Step

    /// Tells all clients which events the view states contain. Call it in an operation of the order.
    func acknowledge(throughForwarded number: UInt64)

    /// Sends the clients the status that belongs to the problem of their view state, if it has one. Call it on the
    /// event loop.
    func report(_ status: (_ problem: String?) -> HostStatusMessage)

    /// Publishes the view state of the client's key to the client from now on. You can call it on any thread. See
    /// ``SharedViewState/attach(_:of:on:showing:status:done:)`` for the parameters.
    ///
    /// - Parameter newest: Returns the newest domain state, and the number up to which events that were forwarded to
    ///   the worker are contained in it.
    func attach(
        _ channel: ChannelServer,
        of client: OpeningClient,
        on session: Session,
        showing newest: @escaping @Sendable () -> (DomainState, throughForwarded: UInt64),
        status: @escaping @Sendable (_ problem: String?) -> HostStatusMessage,
        done: @escaping @Sendable (ChannelAttachment) -> Void
    )

    /// Stops publishing to a client, and drops the view state if it has no other client. Call it on the event loop.
    ///
    /// - Parameters:
    ///   - isReturning: Whether the client opens the channel again. Its view state is kept until it is attached, or
    ///     detached for good, so that it gets only what has changed.
    ///   - condition: Returns whether to do so at the time when it is the turn of this operation.
    ///   - done: Called if a view state was published on the channel.
    func detach(
        _ channel: ChannelServer,
        isReturning: Bool,
        if condition: @escaping @Sendable () -> Bool,
        done: @escaping @Sendable () -> Void
    )

    /// Stops publishing, because the instance is closed. Call it on the event loop.
    ///
    /// - Parameter done: Called with the channels of all clients, in order.
    func end(_ done: @escaping @Sendable ([ChannelServer]) -> Void)
}

/// The view states of an instance of a ``ViewerFeature``: one for each key of a viewer that has the instance open.
///
/// This is the only place that gives a client a view state. It takes the one of the client's key, so nothing that was
/// made for one key reaches a client with another. Each view state has a log and frames of its own
/// (``SharedViewState``), and all of them have the order of the instance.
///
/// A view state exists as long as a channel shows it, or is being opened again. So there are never more view states
/// than channels of clients that the coordinator remembers.
final class ViewerStates<Feature: ViewerFeature>: ViewerSharing {
    private typealias View = ViewerState<Feature>

    /// The state of the class. It belongs to the event loop.
    private struct Known {
        var views: [Feature.ViewerKey: View] = [:]
        /// The key of each channel that shows a view state, or that its client opens again. The view state keeps the
        /// channel.
        var keys: [ObjectIdentifier: Feature.ViewerKey] = [:]
        /// A Boolean value that indicates whether the instance is closed, so that no client is added any more.
        var hasEnded = false
        /// The time in nanoseconds that the reductions and encodings of the last domain state took together, with those
        /// for clients that have come since then.
        var lastDuration: Int64 = 0
    }

    /// The time in nanoseconds after which a part on a coding thread ends, so that other features get the thread and
    /// the first clients do not wait for the last ones.
    private static var partDuration: Int64 { 1_000_000 }

    private let context: SharingContext
    private let known: LoopBound<Known>
    private let noteProblem = OneShot<@Sendable (String?, _ isFirst: Bool, [ChannelServer]) -> Void>()

    init(_ context: SharingContext) {
        self.context = context
        known = LoopBound(Known(), to: context.eventLoop.thread)
    }

    var isLong: Bool {
        known.value.lastDuration >= PresenterState.slowReduction
            || known.value.views.values.contains { $0.shared.isLarge }
    }

    var figures: InstanceFigures.View {
        InstanceFigures.View(sumOf: known.value.views.values.map(\.shared.figures))
    }

    func onProblem(_ called: @escaping @Sendable (String?, _ isFirst: Bool, [ChannelServer]) -> Void) {
        noteProblem.complete(called)
    }

    // MARK: States

    func show(_ domainState: Feature.DomainState, throughForwarded number: UInt64) {
        let start = MonotonicTime.nanoseconds
        let isOneOfMany = known.value.views.count > maximumDirectWrites
        for view in known.value.views.values {
            let encoded = view.reduce(domainState, isShared: view.shared.isShared)
            view.shared.present(encoded, throughForwarded: number, isOneOfMany: isOneOfMany)
        }
        known.value.lastDuration = MonotonicTime.nanoseconds - start
    }

    func showInParts(
        _ domainState: Feature.DomainState,
        throughForwarded number: UInt64,
        then: @escaping SharingQueue.Operation
    ) -> SharingQueue.Step {
        known.value.lastDuration = 0
        // While the operation runs, no client comes or goes.
        let views = known.value.views.values.map { (view: $0, isShared: $0.shared.isShared) }
        return showPart(of: views[...], domainState, throughForwarded: number, then: then)
    }

    private func showPart(
        of views: ArraySlice<(view: View, isShared: Bool)>,
        _ domainState: Feature.DomainState,
        throughForwarded number: UInt64,
        then: @escaping SharingQueue.Operation
    ) -> SharingQueue.Step {
        guard !views.isEmpty else { return then() }
        return .compute { [self] in
            let start = MonotonicTime.nanoseconds
            var encoded: [EncodedViewState?] = []
            var duration: Int64 = 0
            repeat {
                let (view, isShared) = views[views.startIndex + encoded.count]
                encoded.append(view.reduce(domainState, isShared: isShared))
                duration = MonotonicTime.nanoseconds - start
            } while encoded.count < views.count && duration < Self.partDuration
            return { [self, encoded, duration] in
                known.value.lastDuration += duration
                let isOneOfMany = known.value.views.count > maximumDirectWrites
                for ((view, _), encoded) in zip(views, encoded) {
                    view.shared.present(encoded, throughForwarded: number, isOneOfMany: isOneOfMany)
                }
                let rest = views.dropFirst(encoded.count)
                return showPart(of: rest, domainState, throughForwarded: number, then: then)
            }
        }
    }

    func acknowledge(throughForwarded number: UInt64) {
        for view in known.value.views.values { view.shared.acknowledge(throughForwarded: number) }
    }

    func report(_ status: (_ problem: String?) -> HostStatusMessage) {
        for view in known.value.views.values {
            let status = status(view.shared.problem)
            for channel in view.shared.channels { channel.report(status) }
        }
    }

    // MARK: Clients

    func attach(
        _ channel: ChannelServer,
        of client: OpeningClient,
        on session: Session,
        showing newest: @escaping @Sendable () -> (Feature.DomainState, throughForwarded: UInt64),
        status: @escaping @Sendable (_ problem: String?) -> HostStatusMessage,
        done: @escaping @Sendable (ChannelAttachment) -> Void
    ) {
        // This is code of the feature, for which the event loop does not wait.
        let key = Feature.viewerKey(of: .client(client.described))
        /// Answers the client from the view state of its key.
        let answer: @Sendable (View) -> SharingQueue.Step = { [self] view in
            view.shared.attaching(
                channel,
                of: client,
                on: session,
                showing: { view.viewState },
                status: { status(view.shared.problem) },
                done: { [self] result in
                    settle(channel, result, key)
                    done(result)
                }
            )
        }
        context.eventLoop.execute { [self] in
            context.order.performInParts { [self] in
                guard !known.value.hasEnded, channel.isOpening(on: session) else {
                    done(known.value.hasEnded ? .ended : .left)
                    return .done
                }
                if let view = known.value.views[key] { return answer(view) }
                let (domainState, number) = newest()
                return .compute { [self] in
                    let start = MonotonicTime.nanoseconds
                    let view = View(Presentation(of: Feature.self, for: key, at: domainState), context)
                    let duration = MonotonicTime.nanoseconds - start
                    return { [self] in
                        // The next domain state is reduced for this key, too.
                        known.value.lastDuration += duration
                        known.value.views[key] = view
                        view.shared.onProblem { [weak self, weak view] in self?.note($0, of: view, with: $1) }
                        // It is encoded for the client that comes now.
                        view.shared.present(nil, throughForwarded: number)
                        return answer(view)
                    }
                }
            }
        }
    }

    /// Passes on the reason why the clients of a view state keep an older one.
    private func note(_ problem: String?, of view: View?, with channels: [ChannelServer]) {
        let isFirst =
            problem != nil && !known.value.views.values.contains { $0 !== view && $0.shared.problem != nil }
        noteProblem.valueIfComplete?(problem, isFirst, channels)
    }

    /// Drops the view states that have no client any more, after a client was attached or could not be attached.
    ///
    /// - Parameter key: The key of the client.
    private func settle(_ channel: ChannelServer, _ result: ChannelAttachment, _ key: Feature.ViewerKey) {
        let id = ObjectIdentifier(channel)
        // A client that has left opens the channel again on another session, or is detached later.
        if result != .left, let earlier = known.value.keys.removeValue(forKey: id),
            let view = known.value.views[earlier]
        {
            view.forget(channel)
            dropIfUnused(view, of: earlier)
        }
        if result == .attached { known.value.keys[id] = key }
        if let view = known.value.views[key] { dropIfUnused(view, of: key) }
    }

    func detach(
        _ channel: ChannelServer,
        isReturning: Bool,
        if condition: @escaping @Sendable () -> Bool,
        done: @escaping @Sendable () -> Void
    ) {
        context.order.perform { [self] in
            let id = ObjectIdentifier(channel)
            guard condition(), let key = known.value.keys[id], let view = known.value.views[key] else { return }
            if !isReturning { known.value.keys[id] = nil }
            if view.shared.remove(channel) {
                if isReturning { view.expect(channel) }
                done()
            } else if !isReturning {
                view.forget(channel)
            }
            dropIfUnused(view, of: key)
        }
    }

    private func dropIfUnused(_ view: View, of key: Feature.ViewerKey) {
        if view.isUnused { known.value.views[key] = nil }
    }

    func end(_ done: @escaping @Sendable ([ChannelServer]) -> Void) {
        context.order.perform { [self] in
            known.value.hasEnded = true
            known.value.keys = [:]
            done(exchange(&known.value.views, with: [:]).values.flatMap(\.shared.channels))
        }
    }
}

/// The view state of the viewers with one key, and the clients that share it.
private final class ViewerState<Feature: ViewerFeature>: Sendable {
    let shared: SharedViewState<Feature.ViewState>
    /// The channels that clients open again, and that showed this view state before.
    private let returning: LoopBound<[ChannelServer]>
    // These two are not checked, because only an operation of the shared view state's order uses them.
    private nonisolated(unsafe) let reducer: _ResolvedViewStateReducer<Feature.DomainState, Feature.ViewState>
    private(set) nonisolated(unsafe) var viewState: Feature.ViewState

    init(_ presentation: Presentation<Feature.DomainState, Feature.ViewState>, _ context: SharingContext) {
        shared = SharedViewState(context)
        returning = LoopBound([], to: context.eventLoop.thread)
        reducer = presentation.reducer
        viewState = presentation.viewState
    }

    /// Reduces a domain state, on any thread.
    ///
    /// - Parameter isShared: Whether clients have the view state, so that it has to be encoded.
    /// - Returns: The encoded view state, or nil if it is not shared.
    func reduce(_ domainState: Feature.DomainState, isShared: Bool) -> EncodedViewState? {
        reducer.show(domainState, in: &viewState)
        return isShared ? shared.encode(viewState) : nil
    }

    /// Keeps the view state for a channel that its client opens again.
    func expect(_ channel: ChannelServer) { returning.value.append(channel) }

    /// Keeps the view state no longer for this channel.
    func forget(_ channel: ChannelServer) { returning.value.removeAll { $0 === channel } }

    var isUnused: Bool { !shared.isShared && returning.value.isEmpty }
}
