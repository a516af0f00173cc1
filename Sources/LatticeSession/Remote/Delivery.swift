/// What one turn of the reactor brought for one channel: the newest state, and what ended once that state is shown.
package struct Delivery<State: Sendable>: Sendable {
    /// All but the state. Apart and first: the place of what lies behind a value of any type is found at run time, each
    /// time that it is touched.
    package var news: ChannelNews
    /// The newest state, if one came; older ones of the same turn are left out.
    package var state: State?

    package init(_ news: ChannelNews = ChannelNews(), state: State? = nil) {
        self.news = news
        self.state = state
    }

    /// Adds what came later.
    package mutating func merge(_ later: Delivery<State>) {
        if later.state != nil { state = later.state }
        news.merge(later.news)
    }
}
