import Glibc

/// A time of the calendar, in milliseconds since 1970.
struct WallTime {
    /// The milliseconds since 1970, which are not negative.
    let milliseconds: Int

    /// The present time.
    static var now: WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(milliseconds: time.tv_sec * 1000 + time.tv_nsec / 1_000_000)
    }

    /// The time in the time zone of the user, such as "2026-11-28 22:14:51.123".
    var local: String { text(" ") { localtime_r(&$0, &$1) } }

    /// The time in UTC by ISO 8601, such as "2026-11-28T22:14:51.123Z".
    var utc: String { text("T") { gmtime_r(&$0, &$1) } + "Z" }

    private func text(_ separator: String, _ convert: (inout time_t, inout tm) -> Void) -> String {
        var (seconds, parts) = (time_t(milliseconds / 1000), tm())
        convert(&seconds, &parts)
        let date = [Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)].map { Self.digits($0, 2) }
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Self.digits(Int($0), 2) }
        return date.joined(separator: "-") + separator + time.joined(separator: ":") + "."
            + Self.digits(milliseconds % 1000, 3)
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
