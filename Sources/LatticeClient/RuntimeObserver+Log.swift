import LatticeCore
import Logging

extension RuntimeObserver {
    /// Returns the observer that writes everything that the runtime logs. It is the only part of the client that calls
    /// a logger.
    static func logging(to logger: Logger) -> RuntimeObserver {
        RuntimeObserver(logging: { line in
            if let level = Logger.Level(rawValue: line.level.rawValue) { logger.log(level: level, "\(line.message)") }
        })
    }
}
