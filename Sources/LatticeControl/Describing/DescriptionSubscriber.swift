import LatticeConcurrency
import LatticeWire

/// The receiver of the messages of one subscription. It keeps the newest page for the task that reads the pages, and
/// drops those before it.
///
/// - `subscribing`: no message has arrived.
/// - `subscribed`: the coordinator sends messages.
/// - `abandoned`: the program reads no more pages. The coordinator is asked to end the subscription as soon as it is
///   certain that it knows subscriptions.
/// - `ended`: no further message arrives.
final class DescriptionSubscriber: Sendable {
    /// The result of waiting for a page.
    enum Next: Sendable {
        case page(SectionDescription)
        /// The coordinator knows no subscriptions, and has answered once.
        case only(SectionDescription)
    }

    fileprivate enum State {
        case subscribing
        case subscribed
        case abandoned
        case ended(ControlError?)
    }

    fileprivate struct Core {
        var state = State.subscribing
        var follower: DescriptionFollower
        var newest: Next?
        var waiter: OneShot<Void>?
    }

    private let core: Locked<Core>
    /// The number of the request, which is set before the request is sent.
    let number = OneShot<UInt64>()

    init(_ section: String, offset: Int) {
        core = Locked(Core(follower: DescriptionFollower(section, offset: offset)))
    }

    /// Handles a message.
    ///
    /// - Returns: Whether the coordinator must be asked to end the subscription.
    func receive(_ message: DescriptionMessage) -> Bool {
        let (waiter, isOver) = core.withLock { core -> (OneShot<Void>?, Bool) in
            guard message.code == .described else {
                if case .abandoned = core.state { core.state = .ended(nil) } else { core.end(.answered(message)) }
                return (core.waiter.take(), false)
            }
            switch core.state {
            case .ended: return (nil, false)
            case .abandoned:
                // Without a number, the coordinator has ended the request with its answer.
                core.state = .ended(nil)
                return (nil, message.update != nil)
            case .subscribing, .subscribed: break
            }
            do {
                try core.take(message)
                return (core.waiter.take(), false)
            } catch {
                core.end(error as? ControlError)
                return (core.waiter.take(), message.update != nil)
            }
        }
        waiter?.complete(())
        return isOver
    }

    /// Handles the end of the session.
    func end(_ error: ControlError) {
        let waiter = core.withLock { core -> OneShot<Void>? in
            core.end(error)
            return core.waiter.take()
        }
        waiter?.complete(())
    }

    /// Drops the page, because the program reads no more.
    ///
    /// - Returns: Whether the coordinator must be asked to end the subscription now.
    func abandon() -> Bool {
        core.withLock { core in
            core.newest = nil
            switch core.state {
            case .subscribing:
                core.state = .abandoned
                return false
            case .subscribed:
                core.state = .ended(nil)
                return true
            case .abandoned, .ended: return false
            }
        }
    }

    /// Waits for the next page.
    ///
    /// - Returns: The page, or nil if there is none within the limit.
    /// - Throws: `ControlError` if the subscription has ended. `CancellationError` if the task is cancelled.
    func next(within limit: Duration) async throws -> Next? {
        while true {
            let (newest, state, waiter) = core.withLock { core -> (Next?, State, OneShot<Void>) in
                let waiter = OneShot<Void>()
                if core.newest == nil { core.waiter = waiter }
                return (core.newest.take(), core.state, waiter)
            }
            if let newest { return newest }
            if case .ended(let error) = state { throw error ?? CancellationError() }
            guard try await waiter.value(within: limit) != nil else { return nil }
        }
    }
}

extension DescriptionSubscriber.Core {
    /// Makes the page of a message the newest one.
    fileprivate mutating func take(_ message: DescriptionMessage) throws {
        let page = try follower.receive(message, at: .now)
        guard message.update != nil else {
            newest = .only(page)
            state = .ended(nil)
            return
        }
        state = .subscribed
        // The page before was not taken, so this one stands for its interval too.
        if case .page(let dropped)? = newest {
            newest = .page(page.folding(dropped.folded + 1))
        } else {
            newest = .page(page)
        }
    }

    fileprivate mutating func end(_ error: ControlError?) {
        if case .ended = state { return }
        state = .ended(error)
    }
}

extension SectionDescription {
    /// Returns the page, which stands for more intervals.
    fileprivate func folding(_ count: Int) -> SectionDescription {
        var page = self
        page.folded = min(folded + count, DescriptionFollower.maximumFolded)
        return page
    }
}
