package heapwire.core

import heapwire.isa.UnitKind

/** A parameter in the name of a configuration. `cereal-x4-e32` is `cereal` with four units in each direction, whose
  * memory access interfaces have 32 entries. Each parameter is there at most once, in the order of
  * [[ConfigParameter.all]], and differs from what the base has, so a configuration has one name.
  *
  * @param letter what stands before the number
  * @param what   what the number counts, for a message
  * @param of     the base's number; None: the base has no such parameter
  * @param set    the configuration with that number
  */
case class ConfigParameter(letter: Char, what: String, of: ClusterConfig => Option[Int],
    set: (ClusterConfig, Int) => ClusterConfig) {
  /** Returns the numbers that this parameter may have after the name of `base`, in order. */
  def numbers(base: ClusterConfig): Seq[Int] = ((1 to 64) ++ (7 to 19).map(1 << _)).filter { number =>
    try { ConfigParameter.applied(base, s"${base.name}-$letter$number"); true }
    catch { case _: IllegalArgumentException => false }
  }
}

object ConfigParameter {
  private def serializers(config: ClusterConfig) = config.count(UnitKind.CerealSerializer)

  val all: Seq[ConfigParameter] = Seq(
    ConfigParameter('x', "serializers and deserializers of Cereal",
      config => Option.when(serializers(config) > 0)(serializers(config)),
      (config, units) =>
        config.copy(units = config.units ++ Seq(UnitKind.CerealSerializer -> units,
          UnitKind.CerealDeserializer -> units))),
    ConfigParameter('e', "entries of the memory access interface",
      config => Option.when(serializers(config) > 0)(config.cerealSerializer.accessEntries),
      // Blocks that are fetched ahead must leave room for those that are wanted.
      (config, entries) =>
        config.copy(cerealSerializer = config.cerealSerializer.copy(accessEntries = entries,
          blocksAhead = config.cerealSerializer.blocksAhead min entries / 4))),
    ConfigParameter('k', "KB of the shared cache", config => Some(config.sharedCacheBytes / 1024),
      (config, size) => config.copy(sharedCacheBytes = size * 1024)),
    ConfigParameter('l', "cycles that the simulated board adds to reads of memory", config => Some(config.addedLatency),
      (config, cycles) => config.copy(addedLatency = cycles)))

  /** Returns `base` with the parameters that follow its name in `name`.
    *
    * Throws IllegalArgumentException for an unknown or repeated parameter, and for a number that is the base's own or
    * not a valid one.
    */
  def applied(base: ClusterConfig, name: String): ClusterConfig = {
    def refused(why: String) = throw new IllegalArgumentException(s"configuration '$name': $why")
    val written = name.stripPrefix(base.name).split("-", -1).drop(1).toSeq
    val places = written.map { text =>
      val place = all.indexWhere(parameter => text.matches(s"${parameter.letter}[1-9][0-9]{0,5}"))
      if (place < 0) refused(
        s"'$text' is no parameter; there are ${all.map(each => s"-${each.letter}N (${each.what})").mkString(", ")}")
      place
    }
    if (places != places.distinct.sorted)
      refused(s"each parameter once, in the order ${all.map(each => s"-${each.letter}N").mkString(" ")}")
    places.zip(written).foldLeft(base) { case (config, (place, text)) =>
      val (parameter, number) = (all(place), text.tail.toInt)
      parameter.of(base) match {
        case None => refused(s"${base.name} has no ${parameter.what}")
        case Some(`number`) => refused(s"$number is what ${base.name} has")
        case _ => parameter.set(config, number)
      }
    }.copy(name = name)
  }
}
