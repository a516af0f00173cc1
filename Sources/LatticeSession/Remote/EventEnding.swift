package import LatticeCore

/// An event that ended, and how.
package struct EventEnding: Sendable {
    package let completion: EventCompletion
    package let outcome: EventOutcome
}
