package import LatticeCore
package import LatticeSession

extension RuntimeEvent.SessionProblem {
    /// Creates a problem from the error that ended a session.
    package init(_ error: SessionError) {
        self.init(code: error.code.rawValue, message: "\(error)")
    }
}
