import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import LatticeWire

/// The clients, which all share one view state, or one for each viewer.
extension Presenter {
    /// The sizes of what the clients see. Read it on the event loop.
    var viewFigures: InstanceFigures.View { viewers?.figures ?? shared.figures }

    /// Publishes a view state to a client from now on. You can call it on any thread.
    ///
    /// - Parameter done: Called with the result, in order.
    func attach(
        _ channel: ChannelServer,
        of client: OpeningClient,
        on session: Session,
        done: @escaping @Sendable (ChannelAttachment) -> Void
    ) {
        guard let viewers else {
            return eventLoop.execute { [self] in
                shared.attach(
                    channel,
                    of: client,
                    on: session,
                    showing: { [self] in viewState },
                    status: { [self] in HostStatusMessage(hostStatus) },
                    done: done
                )
            }
        }
        viewers.attach(
            channel,
            of: client,
            on: session,
            showing: { [self] in (shownDomainState, shared.acknowledged) },
            status: { [self] in status(withProblem: $0) },
            done: done
        )
    }

    /// Stops publishing to a client. Call it on the event loop.
    ///
    /// - Parameters:
    ///   - isReturning: Whether the client opens the channel again.
    ///   - condition: Returns whether to do so at the time when it is the turn of this operation.
    ///   - done: Called if a view state was published on the channel.
    func detach(
        _ channel: ChannelServer,
        isReturning: Bool,
        if condition: @escaping @Sendable () -> Bool = { true },
        done: @escaping @Sendable () -> Void
    ) {
        guard let viewers else { return shared.detach(channel, if: condition, done: done) }
        viewers.detach(channel, isReturning: isReturning, if: condition, done: done)
    }

    /// Stops publishing, because the instance is closed. Call it on the event loop.
    ///
    /// - Parameter done: Called with the channels of the clients, in order.
    func end(_ done: @escaping @Sendable ([ChannelServer]) -> Void) {
        if let viewers { viewers.end(done) } else { shared.end(done) }
    }
}
